package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"
)

// progress tells what is being done, on one line per stage.
type progress struct{ terminal bool }

func newProgress() *progress {
	return &progress{terminal: term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"}
}

// during runs a stage and shows that it is alive.
func (p *progress) during(ctx context.Context, title string, run func(context.Context) (string, error)) error {
	started := time.Now()
	quiet := p.tick(title, started)
	outcome, err := run(ctx)
	quiet()
	if err != nil {
		p.line("✗", title, "")
		return err
	}
	p.line("✓", title, fmt.Sprintf("%s (%.1f s)", outcome, time.Since(started).Seconds()))
	return nil
}

func (p *progress) line(mark, title, text string) {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	fmt.Fprintln(os.Stderr, strings.TrimRight(fmt.Sprintf("  %s %-24s %s", mark, title, text), " "))
}

// tick redraws a running clock at a terminal; in a log it writes a line now and then.
func (p *progress) tick(title string, started time.Time) func() {
	every := 20 * time.Second
	if p.terminal {
		every = 200 * time.Millisecond
	}
	ticker, done, ended := time.NewTicker(every), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ticker.C:
				p.alive(title, time.Since(started))
			case <-done:
				return
			}
		}
	}()
	return func() { ticker.Stop(); close(done); <-ended }
}

func (p *progress) alive(title string, since time.Duration) {
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\x1b[K  … %-24s %.0f s", title, since.Seconds())
		return
	}
	fmt.Fprintf(os.Stderr, "  … %-24s %.0f s\n", title, since.Seconds())
}
