package accounts

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/cli"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/offline"
	"panel/platform/password"
)

func commands(env cli.Env) []*cobra.Command {
	admin := &cobra.Command{Use: "admin", Short: "Work on administrators directly in the database"}
	admin.AddCommand(resetCommand(env))
	return []*cobra.Command{admin}
}

type reset struct {
	env           cli.Env
	username      string
	password      string
	withoutFactor bool
}

func resetCommand(env cli.Env) *cobra.Command {
	r := &reset{env: env}
	command := &cobra.Command{
		Use:     "reset-password",
		Aliases: []string{"reset"},
		Short:   "Reset an administrator's password without the API",
		Long: "Works on the database directly, also while the panel is down. It needs root, sudo or the owner of the installation. " +
			"The old password and all sessions of the account stop working at once.",
		Example: "sudo panelctl admin reset-password\nsudo panelctl admin reset-password --username anna --yes",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return r.run(cmd.Context()) },
	}
	command.Flags().StringVar(&r.username, "username", "", "whose password; asked for when there are several administrators")
	command.Flags().StringVar(&r.password, "password", "", "the new password; without it a random one of 16 characters is made")
	command.Flags().BoolVar(&r.withoutFactor, "remove-second-factor", false, "also remove authenticator app, recovery codes and passkeys")
	return command
}

// run follows the specification's "Password reset rules" in their order.
func (r *reset) run(ctx context.Context) error {
	if err := privileged(); err != nil {
		return err
	}
	world, err := offline.Open(ctx, r.env)
	if err != nil {
		return err
	}
	defer func() { _ = world.Close(ctx) }()
	r.env.Note(cli.Say("settings from %s, database %s", world.Settings, world.Database))
	store := newStore(world.DB)
	owner, err := r.choose(ctx, store)
	if err != nil {
		return err
	}
	if err := r.confirm(owner); err != nil {
		return err
	}
	plain, err := r.newPassword()
	if err != nil {
		return err
	}
	journal, err := audit.New(world.DB, clockwork.NewRealClock(), zap.NewNop(), world.Config)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	if err := r.replace(ctx, world.DB, store, journal, owner, plain); err != nil {
		return err
	}
	return r.print(owner, plain)
}

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

// choose is rule 2: it lists administrators and, with several, offers a choice.
func (r *reset) choose(ctx context.Context, store *store) (*accountRow, error) {
	const most = 200
	rows, _, err := store.page(ctx, pageOf{limit: most})
	if err != nil {
		return nil, err
	}
	if r.username != "" {
		owner, err := store.byUsername(ctx, r.username)
		if fault.KindOf(err) == fault.KindMissing {
			return nil, cli.Failed(cli.Say("there is no administrator %s", r.username)).Advise(list(rows)...)
		}
		return owner, err
	}
	switch len(rows) {
	case 0:
		return nil, cli.Failed(cli.Say("there is no administrator yet")).Advise(cli.Say("open the panel and finish the first installation"))
	case 1:
		return &rows[0], nil
	}
	return r.ask(rows)
}

func list(rows []accountRow) []cli.Message {
	var lines []cli.Message
	for _, row := range rows {
		lines = append(lines, cli.Plain("--username "+row.Username))
	}
	return lines
}

func (r *reset) ask(rows []accountRow) (*accountRow, error) {
	if !r.canAsk() {
		return nil, cli.Usage(cli.Say("there are several administrators; name one")).Advise(list(rows)...)
	}
	for i, row := range rows {
		fmt.Fprintf(r.env.Err, "%3d  %s  (%s)\n", i+1, row.Username, row.State)
	}
	fmt.Fprint(r.env.Err, r.env.T("Number or username:"), " ")
	answer := r.line()
	for i := range rows {
		if answer == strconv.Itoa(i+1) || strings.EqualFold(answer, rows[i].Username) {
			return &rows[i], nil
		}
	}
	return nil, cli.Usage(cli.Say("nobody was chosen"))
}

func (r *reset) canAsk() bool { return r.env.Terminal.In && r.env.Terminal.Err }

func (r *reset) line() string {
	text, _ := bufio.NewReader(r.env.In).ReadString('\n') // an ended input is an empty answer
	return strings.TrimSpace(text)
}

// confirm is rule 3: the username must be typed, unless --yes is given.
func (r *reset) confirm(owner *accountRow) error {
	if r.env.Yes() {
		return nil
	}
	if !r.canAsk() {
		return cli.Usage(cli.Say("nobody can confirm here")).Advise(cli.Plain("--yes"))
	}
	fmt.Fprintln(r.env.Err, r.env.Text(cli.Say("The old password of %s stops working now and all its sessions end.", owner.Username)))
	fmt.Fprint(r.env.Err, r.env.T("Type the username to go on:"), " ")
	if r.line() != owner.Username {
		return cli.Failed(cli.Say("nothing was changed"))
	}
	return nil
}

// generatedLength is the specification's length of a generated password.
const generatedLength = 16

// newPassword is rule 4.
func (r *reset) newPassword() (string, error) {
	const shortest, longest = 8, 128
	switch {
	case len(r.password) > longest:
		return "", cli.Usage(cli.Say("a password has at most %d characters", longest))
	case r.password != "" && len(r.password) < shortest:
		r.env.Note(cli.Say("the password is shorter than the panel would accept; change it soon"))
	case r.password != "":
		r.env.Note(cli.Say("a password on the command line can be seen by other users of this machine"))
	}
	if r.password != "" {
		return r.password, nil
	}
	return generated(), nil
}

// generated draws from letters and digits that are not mistaken for each other.
func generated() string {
	const alphabet = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	const fair = 256 - 256%len(alphabet)
	text := make([]byte, 0, generatedLength)
	for one := make([]byte, 1); len(text) < generatedLength; {
		_, _ = rand.Read(one) // never fails: the runtime ends the process instead
		if int(one[0]) < fair {
			text = append(text, alphabet[int(one[0])%len(alphabet)])
		}
	}
	return string(text)
}

// replace is rules 5 and 6: hash, sessions, journal and the word to running panels, all in one transaction.
func (r *reset) replace(ctx context.Context, db *database.DB, store *store, journal audit.Journal, owner *accountRow, plain string) error {
	hash, err := password.NewHasher().Hash(ctx, plain)
	if err != nil {
		return err
	}
	ctx = access.With(ctx, access.Caller{Kind: access.CLI, Username: "panelctl", UserAgent: "uid " + strconv.Itoa(os.Getuid())})
	s := &service{db: db, store: store, journal: journal, clock: clockwork.NewRealClock()}
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := s.replacePassword(ctx, tx, owner, hash, ""); err != nil {
			return err
		}
		if r.withoutFactor {
			if err := store.removeFactors(ctx, tx, owner.ID); err != nil {
				return err
			}
		}
		return database.Notify(ctx, tx, channel, owner.ID)
	})
	return err
}

type resetDocument struct {
	Schema   string `json:"schema"`
	Username string `json:"username"`
	Password string `json:"password"`
}

func (r *reset) print(owner *accountRow, plain string) error {
	return r.env.Record(resetDocument{Schema: "panelctl.reset/v1", Username: owner.Username, Password: plain},
		cli.Field{Key: "username", Label: "Username", Value: owner.Username},
		cli.Field{Key: "password", Label: "New password", Value: plain})
}
