package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/rules"
	"panel/platform/cli"
)

// policy is a policy as far as the commands know it.
type policy struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Default bool   `json:"default"`
	Enabled bool   `json:"enabled"`
	rules.Policy
	Nodes           int   `json:"nodes"`
	ConnectionUnits int   `json:"connection_units"`
	Revision        int64 `json:"revision"`
}

func policiesCommand(env cli.Env) *cobra.Command {
	var part string
	command := &cobra.Command{
		Use: "policies", Short: "List health policies", Args: cobra.NoArgs, Example: "panelctl health policies --json",
		Long: "Lists health policies by their names, by GET /api/v1/health/policies: whom each speaks of, how many places have to " +
			"agree, and after how many failures in a row a place says down. With --json they are whole.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked := cli.Asked(policiesPath, map[string]string{"q": part})
			return cli.ListAll(cmd.Context(), env, "panelctl.health.policies/v1", asked, policyHeads, policyCells)
		},
	}
	command.Flags().StringVar(&part, "find", "", "show only those with this text in their name")
	return command
}

var policyHeads = []string{
	"Name", "Counts for", "In force", "Checks", "Quorum", "Failures", "Self-repair", "Nodes", "Flows", "ID",
}

func policyCells(p policy) []string {
	checks := make([]string, len(p.Checks))
	for i, check := range p.Checks {
		checks[i] = check.Type
	}
	return []string{
		p.Name, scopeText(p.Scope), strconv.FormatBool(p.Enabled), strings.Join(checks, ", "), strconv.Itoa(p.Quorum),
		strconv.Itoa(p.FailureThreshold), cli.OrDash(p.Repair.Mode), strconv.Itoa(p.Nodes),
		strconv.Itoa(p.ConnectionUnits), p.ID,
	}
}

// scopeText is a scope in one word, the same in every form.
func scopeText(s rules.Scope) string {
	switch s.Kind {
	case "tag":
		return "tag " + s.Tag
	case "node":
		return "node " + s.ID
	case "connection_unit":
		return "flow " + s.ID
	case "pool":
		return "pool " + s.ID
	}
	return s.Kind
}

// said is what flags say of a policy.
type said struct {
	name, tag, node, flow string
	pool                  string
	enabled, panel        bool
	quorum, failures      int
	successes, agents     int
	repair                string
	repairs               []string
	hourly, cooldown      int
	share                 int
}

// wanted is a policy as it is sent; what is left out stays.
type wanted struct {
	Revision         *int64          `json:"revision,omitempty"`
	Name             *string         `json:"name,omitempty"`
	Enabled          *bool           `json:"enabled,omitempty"`
	Scope            *rules.Scope    `json:"scope,omitempty"`
	Vantages         *rules.Vantages `json:"vantages,omitempty"`
	Quorum           *int            `json:"quorum,omitempty"`
	FailureThreshold *int            `json:"failure_threshold,omitempty"`
	SuccessThreshold *int            `json:"success_threshold,omitempty"`
	Repair           *rules.Repair   `json:"repair,omitempty"`
}

func (s *said) flags(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&s.tag, "tag", "", "it counts for nodes with this tag and their flows")
	set.StringVar(&s.node, "node", "", "it counts for this node, by its name or id")
	set.StringVar(&s.flow, "flow", "", "it counts for this flow, by its name or id")
	set.StringVar(&s.pool, "pool", "", "it counts for the members of this transit pool, by its name or id")
	set.BoolVar(&s.enabled, "enabled", true, "whether it is in force")
	set.IntVar(&s.quorum, "quorum", 2, "places that must see it down: 1 to 9")
	set.IntVar(&s.failures, "failures", 3, "failures in a row until a place says down: 1 to 20")
	set.IntVar(&s.successes, "successes", 2, "good checks in a row until a place says up: 1 to 20")
	set.IntVar(&s.agents, "agents", 3, "how many other nodes check: 0 to 8")
	set.BoolVar(&s.panel, "panel", true, "whether the panel checks as well")
	set.StringVar(&s.repair, "repair", rules.Suggest, "what self-repair does: observe, suggest or auto")
	set.StringSliceVar(&s.repairs, "repair-actions", rules.Ladder, "what self-repair may do, separated by commas")
	set.IntVar(&s.hourly, "repair-hourly", 10, "repairs in an hour, of all its nodes together: 1 to 1000")
	set.IntVar(&s.share, "repair-pool-share", 30, "percent of a pool's members that may be withdrawn at once: 1 to 100")
	set.IntVar(&s.cooldown, "repair-cooldown", 300, "seconds for which a node is left alone after a repair: 60 to 86400")
}

// scope gives whom the flags speak of, nil when they do not say. Failures: usage, those of the API, none of that name.
func (s *said) scope(ctx context.Context, client *cli.Client) (*rules.Scope, error) {
	named, flow, kind := s.node, false, "node"
	given := slices.DeleteFunc([]string{s.tag, s.pool, s.node, s.flow}, func(text string) bool { return text == "" })
	switch {
	case len(given) > 1:
		return nil, cli.Usage(cli.Say("a policy counts for one of --tag, --pool, --node and --flow"))
	case s.pool != "":
		id, err := cli.IDOf(ctx, client, poolsPath, s.pool, func(p policy) (string, string) { return p.ID, p.Name },
			cli.Say("there is no transit pool with the name %s", s.pool))
		return &rules.Scope{Kind: rules.Pool, ID: id}, err
	case s.tag != "":
		return &rules.Scope{Kind: "tag", Tag: s.tag}, nil
	case s.flow != "":
		named, flow, kind = s.flow, true, "connection_unit"
	case s.node == "":
		return nil, nil
	}
	path, err := subjectPath(ctx, client, named, flow)
	if err != nil {
		return nil, err
	}
	return &rules.Scope{Kind: kind, ID: path[strings.LastIndex(path, "/")+1:]}, nil
}

// change gives what the given flags change of a policy; from is the policy as it is now, nil for a new one.
func (s *said) change(given func(flag string) bool, from *policy) (to wanted) {
	pick := func(flag string, put func()) {
		if given(flag) {
			put()
		}
	}
	pick("name", func() { to.Name = &s.name })
	pick("enabled", func() { to.Enabled = &s.enabled })
	pick("quorum", func() { to.Quorum = &s.quorum })
	pick("failures", func() { to.FailureThreshold = &s.failures })
	pick("successes", func() { to.SuccessThreshold = &s.successes })
	if given("agents") || given("panel") {
		places := rules.Vantages{Panel: s.panel, Agents: s.agents}
		if from != nil {
			places = from.Vantages
			pick("agents", func() { places.Agents = s.agents })
			pick("panel", func() { places.Panel = s.panel })
		}
		to.Vantages = &places
	}
	if slices.ContainsFunc([]string{"", "-actions", "-hourly", "-cooldown", "-pool-share"}, func(flag string) bool {
		return given("repair" + flag)
	}) {
		repairs := rules.DefaultRepair()
		if from != nil {
			repairs = from.Repair
		}
		pick("repair", func() { repairs.Mode = s.repair })
		pick("repair-actions", func() { repairs.Actions = s.repairs })
		pick("repair-hourly", func() { repairs.Limits.MaxActionsPerHour = s.hourly })
		pick("repair-pool-share", func() { repairs.Limits.MaxPctOfPool = s.share })
		pick("repair-cooldown", func() { repairs.Limits.CooldownS = s.cooldown })
		to.Repair = &repairs
	}
	return to
}

func createPolicyCommand(env cli.Env) *cobra.Command {
	var s said
	command := &cobra.Command{
		Use: "create-policy <name>", Short: "Create a health policy", Args: cobra.ExactArgs(1),
		Example: "panelctl health create-policy Edge --tag edge --quorum 1 --failures 5",
		Long: "Makes a health policy for nodes with a tag, for the members of a pool, for a node or for a flow, by POST /api/v1/health/policies. What is left " +
			"out is as in the policy of everything else. The narrowest policy counts: node or flow before pool before tag before all.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			scope, err := s.scope(cmd.Context(), client)
			if err != nil {
				return err
			}
			if scope == nil {
				return cli.Usage(cli.Say("say whom it counts for: --tag, --pool, --node or --flow"))
			}
			body := s.change(cmd.Flags().Changed, nil)
			body.Name, body.Scope = &args[0], scope
			return savePolicy(cmd.Context(), env, client, http.MethodPost, policiesPath, body)
		},
	}
	s.flags(command)
	return command
}

func changePolicyCommand(env cli.Env) *cobra.Command {
	var s said
	command := &cobra.Command{
		Use: "change-policy <policy>", Short: "Change a health policy", Args: cobra.ExactArgs(1),
		Example: "panelctl health change-policy Edge --failures 4 --agents 5",
		Long: "Changes a health policy, named by its name or id, by PATCH /api/v1/health/policies/{id}. What is left out stays; " +
			"checks and maintenance windows are changed on the page. It counts from the next evidence on.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			scope, err := s.scope(cmd.Context(), client)
			if err != nil {
				return err
			}
			if changed := s.change(cmd.Flags().Changed, nil); scope == nil && changed == (wanted{}) {
				return cli.Usage(cli.Say("say what changes, such as --quorum, --failures or --agents"))
			}
			before, err := policyNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			body := s.change(cmd.Flags().Changed, &before)
			body.Scope, body.Revision = scope, &before.Revision
			return savePolicy(cmd.Context(), env, client, http.MethodPatch, policiesPath+"/"+url.PathEscape(before.ID), body)
		},
	}
	s.flags(command)
	command.Flags().StringVar(&s.name, "name", "", "a new name")
	return command
}

// savePolicy sends a policy and prints what became of it.
func savePolicy(ctx context.Context, env cli.Env, client *cli.Client, method, path string, body wanted) error {
	var saved policy
	if err := client.Do(ctx, method, path, body, &saved); err != nil {
		return err
	}
	return cli.PrintAll(env, "panelctl.health.policies/v1", []policy{saved}, policyHeads, policyCells)
}

func deletePolicyCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "delete-policy <policy>", Short: "Remove a health policy", Args: cobra.ExactArgs(1),
		Example: "panelctl health delete-policy Edge",
		Long: "Removes a health policy, named by its name or id, by DELETE /api/v1/health/policies/{id}. Whom it speaks of falls to " +
			"the next wider one; history stays. The policy of everything else cannot be removed.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			found, err := policyNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			consequence := cli.Say("%s goes; whom it speaks of falls to the next wider policy", found.Name)
			if err := env.ConfirmWord(consequence, "delete"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, policiesPath+"/"+url.PathEscape(found.ID), nil, nil)
		},
	}
}

// policyNamed reads the policy that a command line names by its name or id.
func policyNamed(ctx context.Context, client *cli.Client, named string) (found policy, err error) {
	id, err := cli.IDOf(ctx, client, policiesPath, named, func(p policy) (string, string) { return p.ID, p.Name },
		cli.Say("there is no health policy with the name %s", named))
	if err != nil {
		return found, err
	}
	if err := client.Get(ctx, policiesPath+"/"+url.PathEscape(id), &found); err != nil {
		return found, err
	}
	return found, nil
}
