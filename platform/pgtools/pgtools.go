// Package pgtools finds PostgreSQL's own client programs (pg_dump, pg_restore) that fit a database server, and
// runs them on the panel's database. No password is ever part of an argument list.
package pgtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"panel/platform/pattern"
)

// Missing says that no fitting programs are on this machine, and names the package that brings them.
type Missing struct {
	Programs []string
	Server   int // major version of the database server
}

// Error names the operating system's package.
func (m *Missing) Error() string {
	return fmt.Sprintf("there is no %s for PostgreSQL %d; install the operating system's package postgresql-client-%d "+
		"or a newer one, or set PANEL_PG_BIN to the folder with its programs",
		strings.Join(m.Programs, " and "), m.Server, m.Server)
}

var majorOf = pattern.Of(`PostgreSQL\) (\d+)`)

// Find gives the folder that has all the programs in the server's major version or a newer one: that of PANEL_PG_BIN,
// else the oldest that fits of the operating system's packages, else the one on the path. The error is a *Missing.
func Find(ctx context.Context, given string, server int, programs ...string) (string, error) {
	for _, folder := range folders(given, programs[0]) {
		if slices.ContainsFunc(programs, func(name string) bool { return !executable(filepath.Join(folder, name)) }) {
			continue
		}
		said, err := exec.CommandContext(ctx, filepath.Join(folder, programs[0]), "--version").Output()
		found := majorOf().FindSubmatch(said)
		if err != nil || found == nil {
			continue
		}
		if major, err := strconv.Atoi(string(found[1])); err == nil && major >= server {
			return folder, nil
		}
	}
	return "", &Missing{Programs: programs, Server: server}
}

func folders(given, program string) []string {
	var all []string
	if given != "" {
		all = append(all, given)
	}
	packaged, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(packaged, func(a, b string) int { return majorIn(a) - majorIn(b) })
	all = append(all, packaged...)
	if found, err := exec.LookPath(program); err == nil {
		all = append(all, filepath.Dir(found))
	}
	return all
}

// majorIn reads the number in /usr/lib/postgresql/<number>/bin.
func majorIn(folder string) int {
	major, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return major
}

func executable(path string) bool {
	about, err := os.Stat(path)
	return err == nil && !about.IsDir() && about.Mode()&0o111 != 0
}

// Major is the major version of a connection's server.
func Major(conn *pgx.Conn) int {
	major, _, _ := strings.Cut(conn.PgConn().ParameterStatus("server_version"), ".")
	n, err := strconv.Atoi(major)
	if err != nil {
		return 0
	}
	return n
}

// endWithin is how long a program that was told to end may keep its pipes open.
const endWithin = 5 * time.Second

// Program is one run of a program on a database.
type Program struct {
	Folder string // from Find
	Name   string
	DSN    string // as in PANEL_DB_URL
	Args   []string
	In     io.Reader
	Out    io.Writer

	Behind      bool   // it, and the taking of what it writes, yield to everything else on this machine
	Application string // what its sessions are called; empty: the program's own name
}

// Run runs the program to its end. A failure ends with the last line that the program wrote.
func (p Program) Run(ctx context.Context) error {
	cmd, said, err := p.Command(ctx)
	if err != nil {
		return err
	}
	cmd.Stdin = p.In
	if p.Behind {
		err = runBehind(cmd, p.Out)
	} else {
		cmd.Stdout = p.Out
		err = cmd.Run()
	}
	if err != nil {
		return Failed(p.Name, err, said.String())
	}
	return nil
}

// Command prepares the program for callers that feed it themselves; said takes what it writes on its error stream.
func (p Program) Command(ctx context.Context) (cmd *exec.Cmd, said *strings.Builder, err error) {
	args := p.Args
	var environ []string
	if p.DSN != "" {
		var address string
		if address, environ, err = Address(p.DSN); err != nil {
			return nil, nil, err
		}
		args = append(slices.Clone(args), "--no-password", "--dbname="+address)
	} else {
		environ = bare(nil)
	}
	if p.Application != "" {
		environ = append(environ, "PGAPPNAME="+p.Application)
	}
	said = &strings.Builder{}
	cmd = exec.CommandContext(ctx, filepath.Join(p.Folder, p.Name), args...)
	cmd.Stderr, cmd.Env, cmd.WaitDelay = said, environ, endWithin
	return cmd, said, nil
}

// Failed is the error of a program that ended badly.
func Failed(name string, err error, said string) error {
	return fmt.Errorf("%s: %w: %s", name, err, LastLine(said))
}

// LastLine is where programs say why they failed.
func LastLine(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1]
}

// ErrShared says that a panel is connected to the database.
var ErrShared = errors.New("another panel works on this database; stop it first")

// Alone makes sure that no panel is connected. It waits for sessions of a panel that was just killed in the middle of a
// statement as long as patience.
func Alone(ctx context.Context, conn *pgx.Conn, patience time.Duration) error {
	const again = 200 * time.Millisecond
	for left := patience; ; left -= again {
		var others int
		err := conn.QueryRow(ctx,
			"select count(*) from pg_stat_activity where datname = current_database() and application_name = 'panel'").
			Scan(&others)
		switch {
		case err != nil:
			return fmt.Errorf("look for other panels: %w", err)
		case others == 0:
			return nil
		case left <= 0:
			return ErrShared
		}
		select {
		case <-time.After(again):
		case <-ctx.Done():
			return fmt.Errorf("look for other panels: %w", ctx.Err())
		}
	}
}
