// Package console is the commands of flows for panelctl.
package console

import (
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const path = "/api/v1/connection-units"

// Commands are what flows add to panelctl; other modules add theirs to the same group.
func Commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "flows", Short: "Flows: the way from an entry to an exit"}
	group.AddCommand(listCommand(env), planCommand(env), applyCommand(env), explainCommand(env),
		changeTargetCommand(env), replaceNodeCommand(env), showCommand(env), promoteCommand(env), abortCommand(env))
	return []*cobra.Command{group}
}

// listed is a flow as far as a list shows it.
type listed struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	State   string `json:"state"`
	Enabled bool   `json:"enabled"`
	Entry   *struct {
		Host     string `json:"host"`
		Listener *struct {
			Protocol  string `json:"protocol"`
			Port      int    `json:"port"`
			PortRange string `json:"port_range"`
		} `json:"listener"`
	} `json:"entry"`
	Clients struct {
		Total int `json:"total"`
	} `json:"client_counts"`
	Version *int `json:"installed_version_number"`
}

var heads = []string{"Flow", "State", "Enabled", "Entry", "Clients", "Version", "ID"}

func cellsOf(f listed) []string {
	entry, version := "", ""
	if f.Entry != nil && f.Entry.Listener != nil {
		port := f.Entry.Listener.PortRange
		if port == "" {
			port = strconv.Itoa(f.Entry.Listener.Port)
		}
		entry = strings.TrimSpace(f.Entry.Listener.Protocol + " " + f.Entry.Host + ":" + port)
	}
	if f.Version != nil {
		version = strconv.Itoa(*f.Version)
	}
	return []string{
		f.Name, f.State, strconv.FormatBool(f.Enabled), cli.OrDash(entry), strconv.Itoa(f.Clients.Total),
		cli.OrDash(version), f.ID,
	}
}

func listCommand(env cli.Env) *cobra.Command {
	var part, state, tag string
	command := &cobra.Command{
		Use: "list", Short: "List flows", Args: cobra.NoArgs,
		Example: "panelctl flows list --state applied",
		Long: "Lists flows by their names, with the entry of the draft and the version that is installed. It asks GET " +
			"/api/v1/connection-units, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked := cli.Asked(path, map[string]string{"q": part, "state": state, "tag": tag})
			return cli.ListAll(cmd.Context(), env, "panelctl.flows.list/v1", asked, heads, cellsOf)
		},
	}
	flags := command.Flags()
	flags.StringVar(&part, "find", "", "show only flows whose name contains this text")
	flags.StringVar(&state, "state", "", "show only flows in this state: draft, compiled, applying, applied or apply_failed")
	flags.StringVar(&tag, "tag", "", "show only flows with this tag")
	return command
}
