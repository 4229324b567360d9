package pools

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
	"panel/platform/cli"
)

const path = "/api/v1/transit-pools"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "pools", Short: "Transit pools: nodes that share the traffic of a flow"}
	group.AddCommand(listCommand(env), showCommand(env), overrideCommand(env), drainCommand(env))
	return []*cobra.Command{group}
}

func listCommand(env cli.Env) *cobra.Command {
	var below bool
	command := &cobra.Command{
		Use: "list", Short: "List the transit pools", Args: cobra.NoArgs, Example: "panelctl pools list --below-minimum",
		Long: "Lists the transit pools by their names, with how many of their members are down; with " +
			"--below-minimum, only those with too few usable members or whose fallback carries traffic. It asks GET " +
			"/api/v1/transit-pools, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			heads, from := []string{"Name", "State", "Members", "Down", "Strategy", "Fallback", "Flows"}, path
			if below {
				from += "?below_minimum=true"
			}
			return cli.ListAll(cmd.Context(), env, "panelctl.pools/v1", from, heads, func(p PoolSummary) []string {
				return []string{
					p.Name, word(env, p.State), strconv.Itoa(p.Members), strconv.Itoa(p.Down), word(env, p.Strategy),
					word(env, fallbackWord(p)), strconv.Itoa(p.Flows),
				}
			})
		},
	}
	command.Flags().BoolVar(&below, "below-minimum", false, "only pools that lack usable members")
	return command
}

// spoken are the words that a table says in the language of its reader: states, strategies, fallbacks, uses of members.
var spoken = []string{
	"unused", "unknown", "healthy", "degraded", "down",
	"ordered", "round_robin", "random", "least_ping", "least_load", "least_users", "sticky",
	"block", "direct", "member", "pool", "block, in use", "direct, in use", "member, in use", "pool, in use",
	"disabled", "drains", "withdrawn", "node rests", "chosen", "held out", "not used", "in use",
}

// word is one of ours as people read it in a table; scripts get it as it is.
func word(env cli.Env, text string) string {
	if env.Form() == cli.Table && slices.Contains(spoken, text) {
		return env.T(text)
	}
	return text
}

// fallbackWord says what takes over, and whether it has.
func fallbackWord(p PoolSummary) string {
	if p.OnFallback {
		return p.Fallback + ", in use"
	}
	return p.Fallback
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <pool>", Short: "Show the members of a transit pool and how they are", Args: cobra.ExactArgs(1),
		Example: "panelctl pools show Europe",
		Long: "Shows what became of the members of a pool, named by its name or id, by GET " +
			"/api/v1/transit-pools/{id}. A member is down when all nodes that forward to the pool say so.",
		RunE: func(cmd *cobra.Command, args []string) error {
			pool, err := named(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			return printPool(env, pool)
		},
	}
}

// record is what show and the acts print with --json.
type record struct {
	Schema string `json:"schema"`
	Pool
}

func printPool(env cli.Env, pool Pool) error {
	rows := make([][]string, len(pool.Members))
	for i, m := range pool.Members {
		delay := "-"
		if m.RTTMs > 0 {
			delay = strconv.FormatInt(m.RTTMs, 10) + " ms"
		}
		rows[i] = []string{
			m.Name, word(env, m.State), delay, strconv.Itoa(m.Weight), strconv.Itoa(m.Priority),
			word(env, useOf(pool, m)), cli.Stamp(m.LastSwitchAt),
		}
	}
	heads := []string{"Member", "State", "Delay", "Weight", "Priority", "Use", "Since"}
	return env.List(record{Schema: "panelctl.pool/v1", Pool: pool}, heads, rows)
}

// useOf says whether a member gets new traffic, and if not, why.
func useOf(pool Pool, m Member) string {
	switch {
	case !m.Enabled:
		return "disabled"
	case m.Drain:
		return "drains"
	case m.Withdrawn:
		return "withdrawn"
	case m.Resting:
		return "node rests"
	case pool.Override != nil && pool.Override.MemberID == m.ID:
		return "chosen"
	case m.Held:
		return "held out"
	case m.State == agentapi.PoolDown:
		return "not used"
	}
	return "in use"
}

// named finds a pool by its name or id.
func named(ctx context.Context, env cli.Env, name string) (pool Pool, err error) {
	client, err := env.Client()
	if err != nil {
		return pool, err
	}
	id, err := cli.IDOf(ctx, client, path, name,
		func(p PoolSummary) (string, string) { return p.ID, p.Name }, cli.Say("there is no pool with the name %s", name))
	if err != nil {
		return pool, err
	}
	return pool, client.Get(ctx, path+"/"+url.PathEscape(id), &pool)
}

// memberNamed finds a member by the name of its node or flow.
func memberNamed(pool Pool, name string) (Member, error) {
	for _, m := range pool.Members {
		if strings.EqualFold(m.Name, name) || m.ID == name || m.NodeID == name || m.FlowID == name {
			return m, nil
		}
	}
	return Member{}, cli.Failed(cli.Say("the pool %s has no member %s", pool.Name, name))
}

func overrideCommand(env cli.Env) *cobra.Command {
	var lasts time.Duration
	var off bool
	command := &cobra.Command{
		Use: "override <pool> [member]", Short: "Lead all new traffic of a pool to one member for a while",
		Args: cobra.RangeArgs(1, 2), Example: "panelctl pools override Europe fra-01 --for 2h",
		Long: "Leads all new traffic of a pool to one member, by POST /api/v1/transit-pools/{id}/override, until the time is over " +
			"or the member is down. Open connections stay where they are. With --off the choice ends at once.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if off == (len(args) == 2) {
				return cli.Usage(cli.Say("name a member, or end the choice with --off"))
			}
			pool, err := named(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			want := NewOverride{TTLS: int(lasts / time.Second)}
			if !off {
				m, err := memberNamed(pool, args[1])
				if err != nil {
					return err
				}
				want.MemberID = m.ID
			}
			return act(cmd.Context(), env, path+"/"+pool.ID+"/override", want)
		},
	}
	command.Flags().DurationVar(&lasts, "for", time.Hour, "how long: from 1m to 168h")
	command.Flags().BoolVar(&off, "off", false, "end the choice")
	return command
}

func drainCommand(env cli.Env) *cobra.Command {
	var off bool
	command := &cobra.Command{
		Use: "drain <pool> <member>", Short: "Give a member of a pool no new traffic", Args: cobra.ExactArgs(2),
		Example: "panelctl pools drain Europe fra-01",
		Long: "Gives a member no new traffic, by POST /api/v1/transit-pools/{id}/members/{mid}/drain. Open connections stay " +
			"until they end. With --off the member gets traffic again.",
		RunE: func(cmd *cobra.Command, args []string) error {
			pool, err := named(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			m, err := memberNamed(pool, args[1])
			if err != nil {
				return err
			}
			if err := sure(env, pool, m, off); err != nil {
				return err
			}
			on := !off
			return act(cmd.Context(), env, path+"/"+pool.ID+"/members/"+m.ID+"/drain", Drain{Drain: &on})
		},
	}
	command.Flags().BoolVar(&off, "off", false, "give it traffic again")
	return command
}

// sure asks before the last usable member gets no traffic any more.
func sure(env cli.Env, pool Pool, m Member, off bool) error {
	if off {
		return nil
	}
	for _, other := range pool.Members {
		taken := other.Enabled && !other.Drain && !other.Withdrawn && !other.Resting
		if other.ID != m.ID && taken && other.State != agentapi.PoolDown {
			return nil
		}
	}
	consequence := cli.Say("%s is the last usable member of %s: its fallback takes over", m.Name, pool.Name)
	if pool.Fallback.Kind == flowsapi.FallbackBlock {
		consequence = cli.Say("%s is the last usable member of %s: nothing would be let through any more", m.Name, pool.Name)
	}
	return env.ConfirmWord(consequence, "drain")
}

func act(ctx context.Context, env cli.Env, path string, body any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var pool Pool
	if err := client.Post(ctx, path, body, &pool); err != nil {
		return err
	}
	return printPool(env, pool)
}
