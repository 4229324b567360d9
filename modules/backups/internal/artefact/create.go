package artefact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"filippo.io/age"
	"github.com/jonboulle/clockwork"

	"panel/platform/vault"
)

const (
	usualPart  = 256 << 20
	least      = 64 << 10
	usualStall = time.Minute
)

// Create writes a new artefact to all targets. A target that fails or stalls does not hold the others: its TargetResult
// has the reason, and the state is Partial. The error is nil when at least one target has the artefact; else it says
// why none has: what ended the stream (ErrPlain, *pgtools.Missing, a failed dump), or that each target failed.
func Create(ctx context.Context, from Source, o Options, to []Target) (Result, error) {
	c, err := newCreation(from, o, to)
	if err != nil {
		return refused(to, err), err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.lanes = newLanes(ctx, to, c.clock, cmp.Or(o.Stall, usualStall))
	if err := c.write(ctx); err != nil {
		c.lanes.abort(err)
		c.lanes.clean(ctx)
		if errors.Is(err, errNoneLeft) {
			return c.result(), c.failure()
		}
		return c.result(), fmt.Errorf("write the backup: %w", err)
	}
	c.lanes.finish(ctx)
	if err := c.conclude(ctx); err != nil {
		c.lanes.abort(err)
		c.lanes.clean(ctx)
		return c.result(), err
	}
	c.lanes.clean(ctx)
	return c.result(), c.failure()
}

// creation is one artefact on its way.
type creation struct {
	from      Source
	options   Options
	clock     clockwork.Clock
	safe      *vault.Vault
	recipient age.Recipient
	manifest  *Manifest
	partBytes int64
	lanes     *lanes
}

func newCreation(from Source, o Options, to []Target) (c *creation, err error) {
	c = &creation{from: from, options: o, clock: o.Clock}
	if c.clock == nil {
		c.clock = clockwork.NewRealClock()
	}
	if c.recipient, err = o.Encryption.recipient(); err != nil {
		return nil, err
	}
	if err := c.mayBePlain(to); err != nil {
		return nil, err
	}
	if c.safe, err = vault.New(from.Master, from.Previous...); err != nil {
		return nil, err
	}
	now := c.clock.Now().UTC().Truncate(time.Second)
	name, err := newName(now, o.Word)
	if err != nil {
		return nil, err
	}
	c.manifest = &Manifest{
		Format: format, Name: name, CreatedAt: now, PanelVersion: from.Version, KeyID: c.safe.KeyID(),
		Encryption: o.Encryption.Mode, Telemetry: cmp.Or(o.Telemetry, TelemetryAll), Entries: []EntryInfo{},
		Tables: []Table{},
	}
	c.partBytes, err = partBytes(o, to)
	return c, err
}

// mayBePlain keeps the master key, and places that others can look into, from what is not encrypted.
func (c *creation) mayBePlain(to []Target) error {
	if len(to) == 0 {
		return errors.New("the backup has no destination")
	}
	if c.recipient != nil {
		return nil
	}
	if c.options.SecretStore {
		return ErrPlain
	}
	for _, target := range to {
		if target.Limits().Encrypted {
			return ErrPlain
		}
	}
	return nil
}

// partBytes is one size for all destinations, so that one manifest describes what each of them has.
func partBytes(o Options, to []Target) (int64, error) {
	size := cmp.Or(o.PartBytes, usualPart)
	for _, target := range to {
		if most := target.Limits().PartBytes; most > 0 {
			size = min(size, most)
		}
	}
	if size < least {
		return 0, fmt.Errorf("the parts of a backup have at least %d bytes", least)
	}
	return size, nil
}

// write sends all entries through the lanes.
func (c *creation) write(ctx context.Context) error {
	if err := c.database(ctx); err != nil {
		return err
	}
	if c.options.SecretStore {
		if err := c.small(ctx, SecretStore, []byte(c.from.Master+"\n")); err != nil {
			return err
		}
	}
	if !c.options.Config {
		return nil
	}
	settings, err := tarOf(c.from.Settings, c.manifest.CreatedAt)
	if err != nil {
		return err
	}
	return c.small(ctx, Config, settings)
}

func (c *creation) small(ctx context.Context, entry Entry, content []byte) error {
	return c.entry(ctx, entry, func(p *packer) error {
		_, err := p.Write(content)
		return err
	})
}

// entry writes one stream. Only what fill gave without an error is finished: a stream that broke off has no end, and so
// no destination keeps its last part.
func (c *creation) entry(ctx context.Context, entry Entry, fill func(*packer) error) error {
	cut := &cutter{ctx: ctx, name: c.manifest.Name, entry: entry, most: c.partBytes, lanes: c.lanes}
	cut.note = func(bytes int64) { c.note(Progress{Step: "uploading", Entry: entry, Bytes: bytes}) }
	p, err := newPacker(cut, c.recipient)
	if err != nil {
		return err
	}
	if err := fill(p); err != nil {
		return err
	}
	if err := p.finish(); err != nil {
		return err
	}
	c.manifest.Entries = append(c.manifest.Entries, EntryInfo{Name: entry, Parts: cut.parts})
	return nil
}

func (c *creation) note(p Progress) {
	if c.options.Progress != nil {
		c.options.Progress(p)
	}
}

// conclude makes what was written an artefact, at each destination that has all of it.
func (c *creation) conclude(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	content, err := encode(c.manifest, c.safe)
	if err != nil {
		return err
	}
	c.lanes.putManifest(ctx, c.manifest.Name+manifestEnd, content)
	return nil
}

func (c *creation) result() Result {
	r := Result{State: Succeeded}
	good := 0
	for _, one := range c.lanes.all {
		err := one.failure()
		if err == nil {
			good++
		}
		r.Targets = append(r.Targets, TargetResult{Name: one.target.Name, Bytes: one.bytes.Load(), Err: err})
	}
	switch {
	case good == 0:
		r.State = Failed
	case good < len(r.Targets):
		r.State = Partial
	}
	if good > 0 {
		r.Manifest = c.manifest
	}
	return r
}

// failure is that of a run that left nothing anywhere.
func (c *creation) failure() error {
	var all []error
	for _, one := range c.lanes.all {
		err := one.failure()
		if err == nil {
			return nil
		}
		all = append(all, fmt.Errorf("%s: %w", one.target.Name, err))
	}
	return fmt.Errorf("keep the backup: %w", errors.Join(all...))
}

func refused(to []Target, err error) Result {
	r := Result{State: Failed}
	for _, target := range to {
		r.Targets = append(r.Targets, TargetResult{Name: target.Name, Err: err})
	}
	return r
}
