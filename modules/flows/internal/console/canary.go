package console

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const nodesPath = "/api/v1/nodes"

// canaryFlags say which nodes of a plan go first.
type canaryFlags struct {
	nodes []string
	share string
	watch time.Duration
	set   *cobra.Command
}

func (f *canaryFlags) bind(command *cobra.Command) {
	f.set = command
	flags := command.Flags()
	flags.StringSliceVar(&f.nodes, "canary-nodes", nil, "names or ids of nodes that get the new version first")
	flags.StringVar(&f.share, "canary-share", "", "share of the nodes that get it first, as 10%")
	flags.DurationVar(&f.watch, "canary-watch", 10*time.Minute, "how long they are watched before the rest follows")
}

// wish is the body that compiles a plan; nil where all nodes go at once. Failures: usage, and those of a name that no
// node has.
func (f *canaryFlags) wish(ctx context.Context, client *cli.Client) (any, error) {
	canary := map[string]any{"watch_s": int(f.watch.Seconds())}
	switch {
	case len(f.nodes) > 0 && f.share != "":
		return nil, cli.Usage(cli.Say("choose one of --canary-nodes and --canary-share"))
	case f.watch < time.Minute || f.watch > 24*time.Hour || f.watch%time.Second != 0:
		return nil, cli.Usage(cli.Say("--canary-watch is between 1m and 24h, in whole seconds"))
	case f.share != "":
		share, err := strconv.Atoi(strings.TrimSuffix(f.share, "%"))
		if err != nil || share < 1 || share > 99 {
			return nil, cli.Usage(cli.Say("--canary-share is between 1% and 99%"))
		}
		canary["share"] = share
	case len(f.nodes) > 0:
		ids, err := nodeIDs(ctx, client, f.nodes)
		if err != nil {
			return nil, err
		}
		canary["nodes"] = ids
	case f.set.Flags().Changed("canary-watch"):
		return nil, cli.Usage(cli.Say("say who is watched: --canary-nodes or --canary-share"))
	default:
		return nil, nil
	}
	return map[string]any{"canary": canary}, nil
}

func nodeIDs(ctx context.Context, client *cli.Client, names []string) ([]string, error) {
	type node struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	ids := make([]string, len(names))
	for i, name := range names {
		id, err := cli.IDOf(ctx, client, nodesPath, name, func(n node) (string, string) { return n.ID, n.Name },
			cli.Say("there is no node with the name %s", name))
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}

// canaryOf is the canary of a plan or an apply, as far as these commands show it.
type canaryOf struct {
	Nodes []struct {
		Name string `json:"node_name"`
	} `json:"nodes"`
	Rest   int        `json:"rest"`
	WatchS int        `json:"watch_s"`
	State  string     `json:"state,omitempty"`
	Until  *time.Time `json:"until,omitempty"`
	Rounds int        `json:"rounds,omitempty"`
	Held   *said      `json:"held,omitempty"`
	Looks  []look     `json:"looks"`
}

// look is what probes through one entry have found.
type look struct {
	Node string `json:"node_name"`
	Good int    `json:"good"`
	Bad  int    `json:"bad"`
	OK   bool   `json:"ok"`
}

type said struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func (c *canaryOf) names() string {
	if c == nil {
		return "-"
	}
	names := make([]string, len(c.Nodes))
	for i, n := range c.Nodes {
		names[i] = n.Name
	}
	return strings.Join(names, ", ")
}

// planned is the canary in the row of a plan: who goes first, and for how long it is watched.
func (c *canaryOf) planned() string {
	if c == nil {
		return "-"
	}
	return c.names() + " " + (time.Duration(c.WatchS) * time.Second).String()
}

func (c *canaryOf) probes() string {
	if c == nil || c.Rounds == 0 {
		return "-"
	}
	good, bad := 0, 0
	for _, l := range c.Looks {
		good, bad = good+l.Good, bad+l.Bad
	}
	return strconv.Itoa(good) + "/" + strconv.Itoa(good+bad)
}

// installing is the last apply of a flow, as far as commands show it.
type installing struct {
	Flow    string    `json:"flow_name"`
	FlowID  string    `json:"flow_id"`
	ApplyID string    `json:"apply_id"`
	State   string    `json:"state"`
	Phase   string    `json:"phase"`
	Detail  string    `json:"detail"`
	Canary  *canaryOf `json:"canary"`
}

var shownHeads = []string{"Flow", "State", "Phase", "Canary", "Watch", "Until", "Probes", "Details"}

func shownCells(a installing) []string {
	watch, until := "-", "-"
	if a.Canary != nil {
		watch, until = cli.OrDash(a.Canary.State), cli.Stamp(a.Canary.Until)
	}
	return []string{
		a.Flow, a.State, a.Phase, a.Canary.names(), watch, until, a.Canary.probes(), cli.OrDash(a.Detail),
	}
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <flow>...", Short: "Show how the last applies of flows stand", Args: cobra.MinimumNArgs(1),
		Example: `panelctl flows show "Europe main"`,
		Long: "Shows the last apply of flows, named by their names or ids: its phase, the nodes that went " +
			"first, until when they are watched and how many probes got through. It asks GET " +
			"/api/v1/connection-units/{id}/applies/{apply_id} for each.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			applies := make([]installing, len(args))
			for i, name := range args {
				if applies[i], err = lastApply(cmd.Context(), client, name); err != nil {
					return err
				}
			}
			return cli.PrintAll(env, "panelctl.flows.show/v1", applies, shownHeads, shownCells)
		},
	}
}

// lastApply reads the last apply of a flow. A flow that was never applied is a failure.
func lastApply(ctx context.Context, client *cli.Client, name string) (a installing, err error) {
	id, err := cli.IDOf(ctx, client, path, name, func(f listed) (string, string) { return f.ID, f.Name },
		cli.Say("there is no flow with the name %s", name))
	if err != nil {
		return a, err
	}
	var flow struct {
		Name  string  `json:"name"`
		Apply *string `json:"last_apply_id"`
	}
	if err := client.Get(ctx, path+"/"+url.PathEscape(id), &flow); err != nil {
		return a, err
	}
	if flow.Apply == nil {
		return a, cli.Failed(cli.Say("the flow %s was never applied", flow.Name))
	}
	err = client.Get(ctx, path+"/"+url.PathEscape(id)+"/applies/"+url.PathEscape(*flow.Apply), &a)
	a.Flow, a.FlowID = flow.Name, id
	return a, err
}

func promoteCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "promote <flow>", Short: "Let the rest of the nodes follow a canary now", Args: cobra.ExactArgs(1),
		Example: `panelctl flows promote "Europe main"`,
		Long: "Ends the watch of the canary of a flow, named by its name or id, after a confirmation: the rest " +
			"of its nodes gets the new version. It sends POST " +
			"/api/v1/connection-units/{id}/applies/{apply_id}/promote and does not wait for the end.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd.Context(), env, args[0], "promote",
				func(c canaryOf) cli.Message { return cli.Say("Nodes that get the new version now: %d.", c.Rest) })
		},
	}
}

func abortCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "abort <flow>", Short: "Take a canary back to the installed version", Args: cobra.ExactArgs(1),
		Example: `panelctl flows abort "Europe main"`,
		Long: "Ends the canary of a flow, named by its name or id, after a confirmation: its nodes go back to " +
			"the installed version and the apply ends as failed. It sends POST " +
			"/api/v1/connection-units/{id}/applies/{apply_id}/abort, which is allowed in read-only mode too, " +
			"and does not wait for the end.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return decide(cmd.Context(), env, args[0], "abort",
				func(c canaryOf) cli.Message {
					return cli.Say("Nodes that go back to the installed version: %s.", c.names())
				})
		},
	}
}

// decide ends the watch of a flow's canary one way or the other.
func decide(
	ctx context.Context, env cli.Env, name, act string, consequence func(canaryOf) cli.Message,
) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	a, err := lastApply(ctx, client, name)
	if err != nil {
		return err
	}
	if a.Canary != nil && a.Phase == "canary" {
		if err := env.ConfirmWord(consequence(*a.Canary), act); err != nil {
			return err
		}
	} // without a canary the panel says so
	at := path + "/" + url.PathEscape(a.FlowID) + "/applies/" + url.PathEscape(a.ApplyID)
	flow := a.Flow
	if err := client.Post(ctx, at+"/"+act, nil, &a); err != nil {
		return err
	}
	a.Flow = flow
	return cli.PrintAll(env, "panelctl.flows."+act+"/v1", []installing{a}, shownHeads, shownCells)
}
