package pgtools

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sys/unix"
)

// behind is the niceness of work that nobody waits for: beside requests it gets about a tenth of a processor, alone
// all of it.
const behind = 10

// stepBack makes a process or thread work behind all others; 0 is the calling thread. Where the system does not allow
// it the work goes on as it is.
func stepBack(id int) { _ = unix.Setpriority(unix.PRIO_PROCESS, id, behind) }

// BackendBehind makes a session of the database server work behind all others, if the server runs on this machine and
// as the same user. A number that belongs to anything else here is left alone.
func BackendBehind(pid uint32) {
	title, err := os.ReadFile("/proc/" + strconv.FormatUint(uint64(pid), 10) + "/cmdline")
	if err == nil && bytes.HasPrefix(title, []byte("postgres: ")) {
		stepBack(int(pid))
	}
}

const (
	appearsWithin = 2 * time.Second
	appearsPoll   = 10 * time.Millisecond
)

// SessionsBehind waits a moment for the sessions of an application and does the same for them.
func SessionsBehind(ctx context.Context, tx pgx.Tx, application string) error {
	for left := appearsWithin; left > 0; left -= appearsPoll {
		var pids []uint32
		if _, err := tx.Exec(ctx, "select pg_stat_clear_snapshot()"); err != nil {
			return fmt.Errorf("look for the sessions of %s: %w", application, err)
		}
		rows, err := tx.Query(ctx, "select pid::oid from pg_stat_activity where application_name = $1", application)
		if err == nil {
			pids, err = pgx.CollectRows(rows, pgx.RowTo[uint32])
		}
		if err != nil {
			return fmt.Errorf("look for the sessions of %s: %w", application, err)
		}
		for _, pid := range pids {
			BackendBehind(pid)
		}
		if len(pids) > 0 {
			return nil
		}
		select {
		case <-time.After(appearsPoll):
		case <-ctx.Done():
			return fmt.Errorf("look for the sessions of %s: %w", application, ctx.Err())
		}
	}
	return nil
}

// runBehind runs a program, and takes what it writes, behind everything else on this machine.
func runBehind(cmd *exec.Cmd, into io.Writer) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	stepBack(cmd.Process.Pid)
	onThreadOfItsOwn(func() {
		stepBack(0)
		_, _ = io.Copy(into, out) // the program sees a broken pipe, and the writer knows why
		_ = out.Close()
	})
	return cmd.Wait()
}

// onThreadOfItsOwn does something on a thread that ends with it, so that nothing else is slowed. The main thread of a
// process never ends: while it is held here, another one takes the work.
func onThreadOfItsOwn(do func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			defer runtime.UnlockOSThread()
			onThreadOfItsOwn(do)
			return
		}
		do()
	}()
	<-ended
}
