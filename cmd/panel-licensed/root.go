package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"

	"panel/cmd/panel-licensed/internal/authority"
)

type tool struct {
	data string
	json bool
}

func root() *cobra.Command {
	t := &tool{}
	cmd := &cobra.Command{
		Use: "panel-licensed", Short: "Issues license keys and signs license documents",
		SilenceUsage: true, SilenceErrors: true,
	}
	cmd.PersistentFlags().StringVar(&t.data, "data", "./license-data", "data folder: keys, licenses, admin token")
	cmd.PersistentFlags().BoolVar(&t.json, "json", false, "print JSON")
	cmd.AddCommand(t.serve(), t.issue(), t.list(), t.revoke(), t.extend(), t.publicKey(), t.rotate(), t.offline())
	return cmd
}

func (t *tool) open() (*authority.Authority, error) {
	return authority.Open(t.data, clockwork.NewRealClock())
}

// show prints the value as JSON or calls plain.
func (t *tool) show(out io.Writer, value any, plain func(io.Writer)) error {
	if !t.json {
		plain(out)
		return nil
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return fmt.Errorf("printing: %w", err)
	}
	return nil
}
