package jobs

import (
	"context"
	"errors"
	"sync"

	"github.com/riverqueue/river/riverdriver"
)

// waker makes River fetch at once when a place of a full kind becomes free. River fetches again by itself only when
// all of its places were taken.
type waker struct {
	mu     sync.Mutex
	asked  bool
	cancel context.CancelFunc // ends the wait that is under way
}

func (w *waker) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked {
		return
	}
	w.asked = true
	if w.cancel != nil {
		w.cancel()
	}
}

func (w *waker) over(listener riverdriver.Listener) riverdriver.Listener {
	return &wakeable{Listener: listener, waker: w}
}

// wakeable is a listener that also brings the waker's word, in the form of a notification of River.
type wakeable struct {
	riverdriver.Listener
	waker *waker
}

var inserted = riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + queue + `"}`}

// WaitForNotification returns the next notification, from the database or from this process.
func (l *wakeable) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	if l.begin(cancel) {
		return &inserted, nil
	}
	got, err := l.Listener.WaitForNotification(waiting)
	asked := l.end(err == nil)
	if asked && errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return &inserted, nil
	}
	return got, err
}

// begin tells that a fetch is wanted already.
func (l *wakeable) begin(cancel context.CancelFunc) bool {
	l.waker.mu.Lock()
	defer l.waker.mu.Unlock()
	if l.waker.asked {
		l.waker.asked = false
		return true
	}
	l.waker.cancel = cancel
	return false
}

// end tells whether a fetch was wanted meanwhile; what a notification came before is kept for the next wait.
func (l *wakeable) end(notified bool) bool {
	l.waker.mu.Lock()
	defer l.waker.mu.Unlock()
	l.waker.cancel = nil
	asked := l.waker.asked
	if !notified {
		l.waker.asked = false
	}
	return asked
}
