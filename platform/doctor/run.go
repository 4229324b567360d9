package doctor

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Limit is the time that one check may take.
const Limit = 5 * time.Second

// Result is a finding with the check it belongs to.
type Result struct {
	Check   Check
	Finding Finding
	Took    time.Duration
}

// Report is the outcome of one run, in the order of the checks.
type Report struct {
	Host    string // the machine that was looked at
	Started time.Time
	Took    time.Duration
	Results []Result
	Changes *Changes // from the run before; nil where none is known
}

// Run asks all checks at once; one that hangs or panics is Unknown and stops no other.
func Run(ctx context.Context, env Env, checks []Check) Report { return run(ctx, env, checks, Limit) }

func run(ctx context.Context, env Env, checks []Check, limit time.Duration) Report {
	host, _ := os.Hostname() // a machine without a name has none to tell
	report := Report{Host: host, Started: env.Now(), Results: make([]Result, len(checks))}
	var wait sync.WaitGroup
	for i, check := range checks {
		wait.Go(func() { report.Results[i] = ask(ctx, env, check, limit) })
	}
	wait.Wait()
	report.Took = env.Now().Sub(report.Started)
	return report
}

// Summary counts the results of each status; all five statuses are present.
func (r Report) Summary() map[Status]int {
	summary := map[Status]int{OK: 0, Warning: 0, Failed: 0, Skipped: 0, Unknown: 0}
	for _, result := range r.Results {
		summary[result.Finding.Status]++
	}
	return summary
}

// ask waits at most limit; a check that ignores its context is left behind.
func ask(ctx context.Context, env Env, check Check, limit time.Duration) Result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := env.Now()
	answer := make(chan Finding, 1)
	go func() { answer <- guarded(ctx, env, check) }()
	select {
	case finding := <-answer:
		return Result{Check: check, Finding: finding, Took: env.Now().Sub(started)}
	case <-ctx.Done():
		return Result{Check: check, Finding: late(), Took: env.Now().Sub(started)}
	}
}

func late() Finding {
	return Finding{
		Status: Unknown, Found: Say("no answer within %d s", int(Limit.Seconds())),
		Do: Say("run the diagnosis again"),
	}
}

func guarded(ctx context.Context, env Env, check Check) (finding Finding) {
	defer func() {
		if trouble := recover(); trouble != nil {
			finding = Finding{
				Status: Unknown, Found: Say("the check itself failed: %s", fmt.Sprint(trouble)),
				Do: Say("report this to the developers"),
			}
		}
	}()
	return check.Run(ctx, env)
}
