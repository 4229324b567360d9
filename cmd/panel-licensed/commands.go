package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"panel/cmd/panel-licensed/internal/authority"
	"panel/cmd/panel-licensed/internal/server"
	"panel/platform/licensedoc"
)

const day = 24 * time.Hour

func (t *tool) issue() *cobra.Command {
	var order authority.Order
	var days int
	cmd := &cobra.Command{
		Use: "issue", Short: "Issue a license and print its key, which is shown this once", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := t.open()
			if err != nil {
				return err
			}
			order.ValidUntil = time.Now().Add(time.Duration(days) * day)
			license, key, err := a.Issue(order)
			if err != nil {
				return err
			}
			return t.show(cmd.OutOrStdout(), server.Issued{License: license, Key: key.Reveal()},
				func(w io.Writer) { fmt.Fprintln(w, key.Reveal()) })
		},
	}
	cmd.Flags().StringVar(&order.Plan, "plan", "Fleet", "plan: Start, Pro, Fleet, or any name together with --features")
	cmd.Flags().StringSliceVar(&order.Features, "features", nil,
		"features, separated by commas; * for all; default: those of the plan")
	cmd.Flags().IntVar(&days, "days", 365, "days of validity")
	cmd.Flags().IntVar(&order.Activations, "activations", 1, "panels that may use the key at once")
	cmd.Flags().StringVar(&order.Note, "note", "", "a note for the vendor")
	return cmd
}

func (t *tool) list() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List all licenses", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a, err := t.open()
			if err != nil {
				return err
			}
			licenses, err := a.List()
			if err != nil {
				return err
			}
			return t.show(cmd.OutOrStdout(), server.Licenses{Items: licenses}, func(w io.Writer) { table(w, licenses) })
		},
	}
}

func table(w io.Writer, licenses []authority.License) {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(columns, "ID\tKEY\tPLAN\tSTATE\tVALID UNTIL\tUSED\tNOTE")
	for _, l := range licenses {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\t%d of %d\t%s\n", l.ID, l.KeyMasked, l.Plan, l.State(time.Now()),
			l.ValidUntil.Format(time.DateOnly), len(l.Installations), l.Activations, l.Note)
	}
	_ = columns.Flush()
}

func (t *tool) revoke() *cobra.Command {
	return t.onOne("revoke <license id>", "Refuse a license for good", 1, func(a *authority.Authority,
		args []string,
	) (authority.License, error) {
		return a.Revoke(args[0])
	})
}

func (t *tool) extend() *cobra.Command {
	return t.onOne("extend <license id> <date>",
		"Move the end of a license to a date (2027-03-01) or moment (RFC 3339)", 2,
		func(a *authority.Authority, args []string) (authority.License, error) {
			until, err := time.Parse(time.RFC3339, args[1])
			if err != nil {
				until, err = time.Parse(time.DateOnly, args[1])
			}
			if err != nil {
				return authority.License{}, fmt.Errorf("reading the date: it must look like 2027-03-01")
			}
			return a.Extend(args[0], until)
		})
}

func (t *tool) onOne(use, short string, args int, act func(*authority.Authority, []string) (authority.License,
	error),
) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.ExactArgs(args), RunE: func(cmd *cobra.Command,
		args []string,
	) error {
		a, err := t.open()
		if err != nil {
			return err
		}
		license, err := act(a, args)
		if err != nil {
			return err
		}
		return t.show(cmd.OutOrStdout(), license, func(w io.Writer) { table(w, []authority.License{license}) })
	}}
}

func (t *tool) publicKey() *cobra.Command {
	return t.onKey("public-key", "Print the key that panels check documents with (PANEL_LICENSE_PUBLIC_KEY)",
		(*authority.Authority).PublicKey)
}

func (t *tool) rotate() *cobra.Command {
	return t.onKey("rotate", "Sign with a new key; panels that know the old one follow by themselves",
		(*authority.Authority).Rotate)
}

func (t *tool) onKey(use, short string, act func(*authority.Authority) (licensedoc.PublicKey, error)) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		a, err := t.open()
		if err != nil {
			return err
		}
		key, err := act(a)
		if err != nil {
			return err
		}
		return t.show(cmd.OutOrStdout(), server.PublicKey{KeyID: key.ID(), PublicKey: key.String()},
			func(w io.Writer) { fmt.Fprintln(w, key) })
	}}
}

func (t *tool) offline() *cobra.Command {
	var instance string
	cmd := &cobra.Command{
		Use:   "offline",
		Short: "Read a license key from the standard input and print a document to carry to a panel by hand",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 256))
			if err != nil {
				return fmt.Errorf("reading the key: %w", err)
			}
			a, err := t.open()
			if err != nil {
				return err
			}
			text, err := a.Offline(strings.TrimSpace(string(key)), instance)
			if err != nil {
				return err
			}
			return t.show(cmd.OutOrStdout(), licensedoc.Reply{Document: text}, func(w io.Writer) {
				fmt.Fprintln(w,
					text)
			})
		},
	}
	cmd.Flags().StringVar(&instance, "instance", "", "installation id, as `panelctl license status --json` shows it")
	_ = cmd.MarkFlagRequired("instance")
	return cmd
}
