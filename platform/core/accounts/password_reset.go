package accounts

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/names"
	"panel/platform/offline"
	"panel/platform/password"
)

// PasswordReset lets an operator of the server reset passwords directly in the database, by a command or in the
// terminal interface.
type PasswordReset struct {
	session *offline.Session
	store   *store
}

// Administrator is what an operator chooses by.
type Administrator struct {
	Username      string
	Active        bool
	Authenticator bool // an authenticator app is set up
	LastLogin     *time.Time

	row *accountRow
}

// OpenPasswordReset asks for the privileges first and opens the database then. Failures carry exit code 4 without
// privileges and 3 without a database.
func OpenPasswordReset(ctx context.Context, env cli.Env) (*PasswordReset, error) {
	if err := privileged(); err != nil {
		return nil, err
	}
	session, err := offline.Open(ctx, env)
	if err != nil {
		return nil, err
	}
	return &PasswordReset{session: session, store: newStore(session.DB)}, nil
}

// Source tells which settings and which database were chosen.
func (r *PasswordReset) Source() cli.Message {
	return cli.Say("settings from %s, database %s", r.session.Settings, r.session.Database)
}

// Close leaves the database as it was found.
func (r *PasswordReset) Close(ctx context.Context) error { return r.session.Close(ctx) }

// privileged is rule 1: root, sudo, or the owner of the installation directory.
func privileged() error {
	if os.Geteuid() == 0 {
		return nil
	}
	dir := installation()
	if info, err := os.Stat(dir); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == os.Geteuid() {
			return nil
		}
	}
	return cli.NotAllowed(cli.Say("resetting a password needs root or the owner of %s", dir)).
		Advise(cli.Plain("sudo panelctl admin reset-password"))
}

// installation is /opt/panel, else the folder above the executable's.
func installation() string {
	const usual = "/opt/panel"
	if _, err := os.Stat(usual); err == nil {
		return usual
	}
	self, err := os.Executable()
	if err != nil {
		return usual
	}
	return filepath.Dir(filepath.Dir(self))
}

// Administrators are those that rule 2 lists, by name; without any there is a failure that says what to do.
func (r *PasswordReset) Administrators(ctx context.Context) ([]Administrator, error) {
	rows, err := r.store.everybody(ctx)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, cli.Failed(cli.Say("there is no administrator yet")).
			Advise(cli.Say("open the panel and finish the first installation"))
	}
	slices.SortStableFunc(rows, func(a, b accountRow) int {
		return cmp.Compare(names.Key(a.Username),
			names.Key(b.Username))
	})
	all := make([]Administrator, len(rows))
	for i := range rows {
		all[i] = administrator(&rows[i])
	}
	return all, nil
}

func administrator(row *accountRow) Administrator {
	return Administrator{
		Username: row.Username, Active: row.State == stateActive, Authenticator: row.TOTPEnabled,
		LastLogin: row.LastLoginAt, row: row,
	}
}

// Named chooses as a sign-in does: the exact name goes first, then any case of it.
func Named(all []Administrator, username string) (Administrator, error) {
	for _, same := range []func(string) bool{
		func(name string) bool { return name == username },
		func(name string) bool { return names.Key(name) == names.Key(username) },
	} {
		if at := slices.IndexFunc(all, func(one Administrator) bool { return same(one.Username) }); at >= 0 {
			return all[at], nil
		}
	}
	return Administrator{}, cli.Failed(cli.Say("there is no administrator %s", username)).Advise(list(all)...)
}

// Consequence is what must be known before the question of rule 3.
func (a Administrator) Consequence() cli.Message {
	return cli.Say("The old password of %s stops working now and all its sessions end.", a.Username)
}

// ResetOptions is what a reset sets. An empty password is replaced by a random one of 16 characters.
type ResetOptions struct {
	Password           string
	MustChange         bool // nothing else is open to the account until it has chosen a password of its own
	RemoveSecondFactor bool
}

// Reset is rules 5 and 6: hash, sessions, journal and the word to running panels, all in one transaction. The
// password that is stored comes back.
func (r *PasswordReset) Reset(ctx context.Context, owner Administrator, options ResetOptions) (string, error) {
	plain := options.Password
	if plain == "" {
		plain = generated()
	}
	journal, err := audit.New(r.session.DB, clockwork.NewRealClock(), zap.NewNop(), r.session.Config)
	if err != nil {
		return "", fmt.Errorf("open the journal: %w", err)
	}
	hash, err := password.NewHasher().Hash(ctx, plain)
	if err != nil {
		return "", err
	}
	ctx = access.With(ctx, access.Caller{Kind: access.CLI, Username: "panelctl", UserAgent: "uid " +
		strconv.Itoa(os.Getuid())})
	s := &service{db: r.session.DB, store: r.store, journal: journal, clock: clockwork.NewRealClock()}
	var barrier database.Barrier
	err = r.session.DB.InTx(ctx, func(ctx context.Context) (err error) {
		if err := s.replacePassword(ctx, owner.row, replacing{hash: hash, mustChange: options.MustChange}); err != nil {
			return err
		}
		if options.RemoveSecondFactor {
			if err := s.removeFactors(ctx, owner.row); err != nil {
				return err
			}
		}
		barrier, err = announced(ctx, r.session.DB.In(ctx), owner.row.ID)
		return err
	})
	// What cannot be sealed from here, a panel seals.
	_ = journal.Finish(ctx)
	if err == nil {
		// A panel that hangs learns of it as soon as it hears again; the password is set all the same.
		_ = barrier.Await(ctx, r.session.DB)
	}
	return plain, err
}
