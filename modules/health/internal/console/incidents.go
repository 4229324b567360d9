package console

import (
	"net/url"
	"strconv"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/incidents"
	"panel/modules/health/internal/repair"
	"panel/platform/cli"
)

const incidentsPath = base + "/incidents"

var (
	incidentHeads = []string{"About", "State", "Severity", "Likely cause", "Nodes", "Flows", "Opened", "ID"}
	entryHeads    = []string{"Time", "What", "About", "State", "Reason", "Who", "Note"}
)

func incidentsCommand(env cli.Env) *cobra.Command {
	var state string
	command := &cobra.Command{
		Use: "incidents", Short: "List incidents", Args: cobra.NoArgs,
		Example: "panelctl health incidents\npanelctl health incidents --state all",
		Long: "Lists incidents, the newest first, by GET /api/v1/health/incidents, page by page: one for one cause, named by who was " +
			"seen first or by what those affected have in common. Without --state those that are not resolved.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if state == "all" {
				state = ""
			}
			asked := cli.Asked(incidentsPath, map[string]string{"state": state})
			return cli.ListAll(cmd.Context(), env, "panelctl.health.incidents/v1", asked, incidentHeads, incidentCells)
		},
	}
	command.Flags().StringVar(&state, "state", incidents.Unresolved,
		"show only those in this state: open, acknowledged, mitigated, resolved, unresolved or all")
	return command
}

func incidentCells(i incidents.Incident) []string {
	about := i.SubjectName
	if i.Cause != nil && i.Cause.Name != about {
		about += ", " + i.Cause.Kind + " " + i.Cause.Name
	}
	return []string{
		about, i.State, i.Severity, cli.OrDash(i.Hint), strconv.Itoa(i.Nodes), strconv.Itoa(i.ConnectionUnits),
		cli.Stamp(&i.OpenedAt), i.ID,
	}
}

// shownIncident is an incident as commands print it.
type shownIncident struct {
	Schema string `json:"schema"`
	repair.Detail
}

func (s *shownIncident) print(env cli.Env) error {
	s.Schema = "panelctl.health.incident/v1"
	rows := make([][]string, len(s.Entries))
	for at, e := range s.Entries {
		rows[at] = []string{
			cli.Stamp(&e.At), e.What, cli.OrDash(e.Name), cli.OrDash(e.State), cli.OrDash(e.Reason),
			cli.OrDash(e.Actor), cli.OrDash(e.Note),
		}
	}
	return env.List(*s, entryHeads, rows)
}

func incidentCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "incident <id>", Short: "Show what happened in an incident", Args: cobra.ExactArgs(1),
		Example: "panelctl health incident 0199a0de-0000-7000-8000-000000000001",
		Long: "Shows what happened in an incident, oldest first, by GET /api/v1/health/incidents/{id}. With --json also who is " +
			"affected, what each place saw then, and what self-repair did about it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var shown shownIncident
			if err := client.Get(cmd.Context(), incidentPath(args[0]), &shown.Detail); err != nil {
				return err
			}
			return shown.print(env)
		},
	}
}

func incidentPath(id string) string { return incidentsPath + "/" + url.PathEscape(id) }

func ackCommand(env cli.Env) *cobra.Command {
	return actCommand(env, "ack", &cobra.Command{
		Use: "ack <id>", Short: "Acknowledge an incident", Args: cobra.ExactArgs(1),
		Example: "panelctl health ack 0199a0de-0000-7000-8000-000000000001 --note \"calling the hoster\"",
		Long: "Says that you have taken an incident on, by POST /api/v1/health/incidents/{id}/ack. It ends by itself when all are " +
			"well again.",
	})
}

func resolveCommand(env cli.Env) *cobra.Command {
	return actCommand(env, "resolve", &cobra.Command{
		Use: "resolve <id>", Short: "Resolve an incident by hand", Args: cobra.ExactArgs(1),
		Example: "panelctl health resolve 0199a0de-0000-7000-8000-000000000001 --note \"known, see the hoster's page\"",
		Long: "Resolves an incident by POST /api/v1/health/incidents/{id}/resolve. It stays closed also for those who are still " +
			"affected, until they get worse, or well and bad again.",
	})
}

// actCommand says something about an incident, and prints what became of it.
func actCommand(env cli.Env, act string, command *cobra.Command) *cobra.Command {
	var note string
	command.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		var shown shownIncident
		body := map[string]string{}
		if note != "" {
			body["note"] = note
		}
		if err := client.Post(cmd.Context(), incidentPath(args[0])+"/"+act, body, &shown.Detail); err != nil {
			return err
		}
		return shown.print(env)
	}
	command.Flags().StringVar(&note, "note", "", "a note for those who read the incident later")
	return command
}
