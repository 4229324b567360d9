// Package console is what panelctl knows of abuse protection.
package console

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/views"
	"panel/platform/cli"
)

const base = "/api/v1/abuse"

// Commands are those of this module. Their Russian stands in russian.txt.
func Commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "abuse", Short: "Signals of abuse, and from where users are connected"}
	group.AddCommand(overviewCommand(env), signalsCommand(env), diversityCommand(env), agentsCommand(env),
		allowlistCommand(env), allowCommand(env), disallowCommand(env), lookupCommand(env),
		lookupsCommand(env), settingsCommand(env), casesCommand(env), actionsCommand(env), blocksCommand(env))
	return []*cobra.Command{group}
}

var signalHeads = []string{"Time", "Kind", "User", "Node", "Destination", "Count", "Confidence", "Detected by"}

func signalsCommand(env cli.Env) *cobra.Command {
	var kind, user, node, flow string
	var hours int
	var allowed bool
	command := &cobra.Command{
		Use: "signals", Short: "List signals of abuse", Args: cobra.NoArgs,
		Example: "panelctl abuse signals --hours 24\npanelctl abuse signals --kind smtp_spam --user c:0199a0de-0000-7000-8000-000000000001",
		Long: "Lists what agents saw users do, the newest first, by GET /api/v1/abuse/signals, page by page. With --json also where " +
			"they came from, as long as that is kept, and the evidence.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked := map[string]string{
				"kind": kind, "user_ref": user, "node_id": node, "flow_id": flow,
				"from": ago(hours),
			}
			if allowed {
				asked["allowed"] = "true"
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.signals/v1", cli.Asked(base+"/signals", asked), signalHeads,
				signalCells)
		},
	}
	flags := command.Flags()
	flags.StringVar(&kind, "kind", "", "show only this kind, such as torrent, port_scan or smtp_spam")
	flags.StringVar(&user, "user", "", "show only those of this user, c:<client id>")
	flags.StringVar(&node, "node", "", "show only those that the agent of this node told, by its id")
	flags.StringVar(&flow, "flow", "", "show only those of this flow, by its id")
	flags.IntVar(&hours, "hours", 168, "show those of so many last hours")
	flags.BoolVar(&allowed, "allowed", false, "show also those of users and networks on the allow-list")
	return command
}

func signalCells(s views.Signal) []string {
	return []string{
		cli.Stamp(&s.LastAt), s.Kind, nameOr(s.UserLabel, s.UserRef), nameOr(s.NodeName, s.NodeID), destination(s.Dest),
		strconv.FormatInt(s.Count, 10), percent(s.Confidence), s.DetectedBy,
	}
}

func nameOr(name, id string) string {
	if name == "" {
		return id
	}
	return name
}

func percent(share float64) string {
	const whole, half = 100, 0.5
	return strconv.Itoa(int(share*whole+half)) + " %"
}

func destination(d views.Dest) string {
	to := nameOr(d.Host, d.IP)
	if d.Port > 0 {
		to += ":" + strconv.Itoa(d.Port)
	}
	return cli.OrDash(to)
}

// shownDiversity is from where a user was connected as the command prints it.
type shownDiversity struct {
	Schema string `json:"schema"`
	views.Diversity
}

var networkHeads = []string{"Network", "Name", "Kind", "Country", "City", "Prefixes", "First seen", "Last seen"}

func diversityCommand(env cli.Env) *cobra.Command {
	var hours int
	command := &cobra.Command{
		Use: "diversity <user>", Short: "Show from where a user was connected", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse diversity c:0199a0de-0000-7000-8000-000000000001 --hours 72",
		Long: "Shows the networks that a user was connected from in the last hours, by GET /api/v1/abuse/users/{user_ref}/diversity, " +
			"and on the error stream what agents do not see. A user is c:<client id>; an id alone is taken for a client's. With " +
			"--json also each window with how many sources were connected at once.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			ref := args[0]
			if !strings.Contains(ref, ":") {
				ref = "c:" + ref
			}
			shown := shownDiversity{Schema: "panelctl.abuse.diversity/v1"}
			path := base + "/users/" + url.PathEscape(ref) + "/diversity?hours=" + strconv.Itoa(hours)
			if err := client.Get(cmd.Context(), path, &shown.Diversity); err != nil {
				return err
			}
			rows := make([][]string, len(shown.Networks))
			for i, n := range shown.Networks {
				rows[i] = networkCells(n)
			}
			if err := env.List(shown, networkHeads, rows); err != nil {
				return err
			}
			env.Note(cli.Say("at most %d sources in a window and %d at the same time", shown.MaxSources, shown.MaxConcurrent))
			if len(shown.Unseen) > 0 {
				env.Note(cli.Say("%d listeners are not seen whole: there may have been more", len(shown.Unseen)))
			}
			return nil
		},
	}
	command.Flags().IntVar(&hours, "hours", 24, "how many of the last hours: 1 to 168")
	return command
}

func networkCells(n views.Network) []string {
	number := "-"
	if n.ASN > 0 {
		number = "AS" + strconv.FormatInt(n.ASN, 10)
	}
	return []string{
		number, cli.OrDash(n.Name), cli.OrDash(n.Kind), cli.OrDash(n.Country), cli.OrDash(n.City),
		strconv.Itoa(n.Prefixes), cli.Stamp(&n.FirstAt), cli.Stamp(&n.LastAt),
	}
}

var agentHeads = []string{"Node", "Signals", "Diversity", "Listeners", "Not seen whole", "Lost", "Refused", "Why"}

func agentsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "agents", Short: "List how well agents tell of abuse", Args: cobra.NoArgs,
		Example: "panelctl abuse agents --json",
		Long: "Lists the agents that ever told something, by GET /api/v1/abuse/agents, page by page: when they did so last, which " +
			"listeners they do not see whole, what they lost, and what was not taken because their nodes do not serve those users.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.agents/v1", base+"/agents", agentHeads, agentCells)
		},
	}
}

func agentCells(a views.Agent) []string {
	return []string{
		nameOr(a.NodeName, a.NodeID), cli.Stamp(a.SignalsAt), cli.Stamp(a.DiversityAt), strconv.Itoa(a.Listeners),
		strconv.Itoa(a.Incomplete), strconv.FormatInt(a.Dropped, 10), strconv.FormatInt(a.Refused, 10),
		cli.OrDash(a.RefusedWhy),
	}
}

const hoursOfDay = 24

// ago is so many hours before now, as the API takes moments.
func ago(hours int) string {
	now := time.Now() //nolint:forbidigo // a person counts the hours from now
	return now.Add(-time.Duration(hours) * time.Hour).UTC().Format(time.RFC3339)
}
