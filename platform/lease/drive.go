package lease

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

// begin drives a claimed row in a goroutine of its own.
func (d *Driver) begin(ctx context.Context, c *Claim) {
	ctx, c.cancel = context.WithCancelCause(ctx)
	c.wake, c.since = make(chan struct{}, 1), now()
	d.mu.Lock()
	d.claims[c.ID] = c
	d.mu.Unlock()
	d.busy.Go(func() {
		defer func() {
			c.cancel(nil)
			d.forget(c)
			d.wakeUp()
		}()
		d.drive(ctx, c)
	})
}

// forget takes a claim off the list. A wake that came while its row was released for a pause counts for the row.
func (d *Driver) forget(c *Claim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.claims[c.ID] == c {
		delete(d.claims, c.ID)
	}
	if len(c.wake) > 0 {
		d.woken = append(d.woken, c.ID)
	}
}

// drive makes one step after another until the row is done, fails, pauses for long or belongs to somebody else.
func (d *Driver) drive(ctx context.Context, c *Claim) {
	if d.exhausted(c.failures) {
		d.giveUp(ctx, c, errors.New(c.cause))
		return
	}
	for ctx.Err() == nil {
		next, err := d.step(ctx, c)
		switch {
		case errors.Is(err, ErrLost), errors.Is(context.Cause(ctx), ErrLost):
			return
		case err != nil && ctx.Err() == nil:
			d.failed(ctx, c, err)
			return
		case err != nil:
			d.release(ctx, c, 0, c.failures, c.cause)
			return
		case next.done:
			d.release(ctx, c, d.afterDone(), 0, "")
			return
		case next.wait >= longPause && len(c.wake) == 0:
			d.release(ctx, c, next.wait, 0, "")
			return
		}
		c.sleep(ctx, next.wait)
	}
	if !errors.Is(context.Cause(ctx), ErrLost) {
		d.release(ctx, c, 0, c.failures, c.cause)
	}
}

// afterDone keeps a row that is open in spite of Done from being claimed again and again.
func (d *Driver) afterDone() time.Duration {
	if d.Table.Due != "" {
		return 0
	}
	return idlePoll
}

// step runs one step within its limit. A panic is its error.
func (d *Driver) step(ctx context.Context, c *Claim) (next Next, err error) {
	ctx, cancel := context.WithTimeout(ctx, d.StepLimit)
	defer cancel()
	c.begins()
	defer c.ends()
	defer d.recovered(c, &err)
	return d.Step(ctx, c)
}

func (d *Driver) recovered(c *Claim, err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("panic: %v", cause)
		d.log.Error("a step panicked", zap.String("process", d.Name), zap.String("id", c.ID), zap.Any("panic", cause),
			zap.ByteString("stack", debug.Stack()))
	}
}

func (c *Claim) begins() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = now()
}

func (c *Claim) ends() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = time.Time{}
}

func (c *Claim) sleep(ctx context.Context, pause time.Duration) {
	if pause <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-c.wake:
	case <-c.driver.clock.After(pause):
	}
}

func (d *Driver) exhausted(failures int) bool { return d.GiveUp != nil && failures >= d.Attempts }

// failed writes the failure on the row, which is tried again after a pause or given up.
func (d *Driver) failed(ctx context.Context, c *Claim, cause error) {
	if now().Sub(c.since) > TTL {
		c.failures = 0
	}
	c.failures++
	c.cause = cause.Error()
	if d.exhausted(c.failures) {
		d.giveUp(ctx, c, cause)
		return
	}
	pause := d.pauseAfter(c.failures)
	d.log.Warn("a step failed and is tried again", zap.String("process", d.Name), zap.String("id", c.ID),
		zap.Int("failures", c.failures), zap.Duration("pause", pause), zap.Error(cause))
	d.release(ctx, c, pause, c.failures, c.cause)
}

func (d *Driver) pauseAfter(failures int) time.Duration {
	const doublings = 30 // enough for every pause, too few to overflow
	pause := float64(d.FirstPause) * math.Pow(2, float64(min(failures-1, doublings)))
	return time.Duration(min(pause, float64(d.LongestPause)))
}

// giveUp lets the process end the row. Where even that fails it is tried again after the longest pause.
func (d *Driver) giveUp(ctx context.Context, c *Claim, cause error) {
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.StepLimit)
	defer cancel()
	err := d.guarded(ending, c, cause)
	failures := c.failures
	switch {
	case errors.Is(err, ErrLost):
		return
	case err != nil:
		d.log.Error("a row whose steps fail could not be given up", zap.String("process", d.Name),
			zap.String("id", c.ID),
			zap.Error(err), zap.NamedError("cause", cause))
	default:
		d.log.Error("a row was given up", zap.String("process", d.Name), zap.String("id", c.ID),
			zap.Int("failures", c.failures), zap.Error(cause))
		if d.Table.Due != "" {
			failures = 0
		}
	}
	d.release(ctx, c, d.LongestPause, failures, cause.Error())
}

func (d *Driver) guarded(ctx context.Context, c *Claim, cause error) (err error) {
	c.begins()
	defer c.ends()
	defer d.recovered(c, &err)
	return c.InTx(ctx, func(ctx context.Context) error { return d.GiveUp(ctx, c, cause) })
}

// release ends a claim. If that fails, the lease ends by itself.
func (d *Driver) release(ctx context.Context, c *Claim, pause time.Duration, failures int, cause string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryWithin)
	defer cancel()
	_, err := d.db.NewRaw(d.sql.release, c.ID, c.Token, pause.Seconds(), failures, shortened(cause)).Exec(ctx)
	if err != nil {
		d.log.Info("a row keeps its lease until it ends by itself", zap.String("process", d.Name),
			zap.String("id", c.ID),
			zap.Error(err))
	}
}

func shortened(cause string) string {
	const longest = 500
	text := []rune(cause)
	return string(text[:min(len(text), longest)])
}
