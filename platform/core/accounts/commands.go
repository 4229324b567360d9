package accounts

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"panel/platform/cli"
	"panel/platform/core/accounts/internal/console"
)

func commands(env cli.Env) []*cobra.Command {
	admin := &cobra.Command{Use: "admin", Short: "Work on administrators directly in the database"}
	admin.AddCommand(resetCommand(env))
	return append([]*cobra.Command{admin}, console.Commands(env)...)
}

type reset struct {
	env           cli.Env
	username      string
	password      string
	given         bool // a password stands on the command line
	mustChange    bool
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.given = cmd.Flags().Changed("password")
			return r.run(cmd.Context())
		},
	}
	command.Flags().
		StringVar(&r.username, "username", "", "whose password; asked for when there are several administrators")
	command.Flags().
		StringVar(&r.password, "password", "", "the new password; without it a random one of 16 characters is made")
	command.Flags().BoolVar(&r.mustChange, "must-change", false,
		"the account has to choose a password of its own at the next sign-in")
	command.Flags().BoolVar(&r.withoutFactor, "remove-second-factor", false,
		"also remove authenticator app, recovery codes and passkeys")
	return command
}

// run follows the specification's "Password reset rules" in their order.
func (r *reset) run(ctx context.Context) error {
	if err := r.judge(); err != nil {
		return err
	}
	passwords, err := OpenPasswordReset(ctx, r.env)
	if err != nil {
		return err
	}
	defer func() { _ = passwords.Close(ctx) }()
	r.env.Note(passwords.Source())
	owner, err := r.choose(ctx, passwords)
	if err != nil {
		return err
	}
	if err := r.confirm(owner); err != nil {
		return err
	}
	plain, err := passwords.Reset(ctx, owner, ResetOptions{
		Password: r.password, MustChange: r.mustChange, RemoveSecondFactor: r.withoutFactor,
	})
	if err != nil {
		return err
	}
	return r.print(owner, plain)
}

// choose is rule 2: it lists administrators and, with several, offers a choice.
func (r *reset) choose(ctx context.Context, passwords *PasswordReset) (Administrator, error) {
	all, err := passwords.Administrators(ctx)
	if err != nil {
		return Administrator{}, err
	}
	if r.username != "" {
		return Named(all, r.username)
	}
	if len(all) == 1 {
		r.env.Note(cli.Plain("1  " + listed(all[0])))
		return all[0], nil
	}
	return r.ask(all)
}

func list(all []Administrator) []cli.Message {
	var lines []cli.Message
	for _, one := range all {
		lines = append(lines, cli.Plain("--username "+one.Username))
	}
	return lines
}

func listed(one Administrator) string { return one.Username + "  (" + one.row.State + ")" }

func (r *reset) ask(all []Administrator) (Administrator, error) {
	if !r.env.CanAsk() {
		return Administrator{}, cli.Usage(cli.Say("there are several administrators; name one")).Advise(list(all)...)
	}
	for i, one := range all {
		fmt.Fprintf(r.env.Err, "%3d  %s\n", i+1, listed(one))
	}
	fmt.Fprint(r.env.Err, r.env.T("Number or username:"), " ")
	answer := r.env.Answer()
	if number, err := strconv.Atoi(answer); err == nil && number >= 1 && number <= len(all) {
		return all[number-1], nil
	}
	if one, err := Named(all, answer); err == nil {
		return one, nil
	}
	return Administrator{}, cli.Usage(cli.Say("nobody was chosen"))
}

// confirm is rule 3: the username must be typed, unless --yes is given.
func (r *reset) confirm(owner Administrator) error {
	return r.env.Confirm(owner.Consequence(), cli.Say("Type the username to go on:"), owner.Username)
}

// generatedLength is the specification's length of a generated password.
const generatedLength = 16

// judge is the given half of rule 4: it is set as given, with a note. Characters are counted as the panel counts them.
func (r *reset) judge() error {
	const shortest, longest = 8, 128
	length := utf8.RuneCountInString(r.password)
	switch {
	case r.given && length == 0:
		return cli.Usage(cli.Say("--password is empty")).
			Advise(cli.Say("leave --password out to have a random one of %d characters made", generatedLength))
	case length > longest:
		return cli.Usage(cli.Say("a password has at most %d characters", longest))
	case r.given && length < shortest:
		r.env.Note(cli.Say("the password is shorter than the panel would accept; change it soon"))
	case r.given:
		r.env.Note(cli.Say("a password on the command line can be seen by other users of this machine"))
	}
	return nil
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

type resetDocument struct {
	Schema   string `json:"schema"`
	Username string `json:"username"`
	Password string `json:"password"`
}

func (r *reset) print(owner Administrator, plain string) error {
	return r.env.Record(resetDocument{Schema: "panelctl.reset/v1", Username: owner.Username, Password: plain},
		cli.Field{Key: "username", Label: "Username", Value: owner.Username},
		cli.Field{Key: "password", Label: "New password", Value: plain})
}
