package policies

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const (
	policiesPath  = "/api/v1/policies"
	cataloguePath = "/api/v1/policy-catalogue"
	plansPath     = "/api/v1/custom-plans"
)

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "policies", Short: "Flow policies, the policy catalogue and custom plans"}
	group.AddCommand(
		listCommand(env), showCommand(env), createCommand(env), changeCommand(env), deleteCommand(env),
		assignCommand(env), releaseCommand(env), catalogueCommand(env), saveCatalogueCommand(env), putSetCommand(env),
		removeSetCommand(env), outdatedCommand(env), plansCommand(env), createPlanCommand(env), editPlanCommand(env),
		deletePlanCommand(env), enableCommand(env),
	)
	return []*cobra.Command{group}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the flow policies", Args: cobra.NoArgs, Example: "panelctl policies list --json",
		Long: "Lists the flow policies by their names, with how many flows obey each. It asks GET /api/v1/policies, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			heads := []string{"Name", "Kind", "Rules", "Protocols", "Custom plans", "Flows"}
			return cli.ListAll(cmd.Context(), env, "panelctl.policies/v1", policiesPath, heads, func(p Policy) []string {
				return []string{
					p.Name, word(env, p.Kind), strconv.Itoa(len(p.Rules)), orAny(env, p.AllowedProtocols),
					strconv.Itoa(len(p.AllowedPlans)), strconv.Itoa(len(p.UsedBy)),
				}
			})
		},
	}
}

// spoken are the words that a table says in the language of its reader.
var spoken = []string{"balancer", "routing", "limits", "security", "any", "none", "direct"}

// word is one of ours as people read it in a table; scripts get it as it is.
func word(env cli.Env, text string) string {
	if env.Form() == cli.Table && slices.Contains(spoken, text) {
		return env.T(text)
	}
	return text
}

func orAny(env cli.Env, list []string) string {
	if len(list) == 0 {
		return word(env, "any")
	}
	return strings.Join(list, ", ")
}

// policyRecord is what show prints with --json.
type policyRecord struct {
	Schema string `json:"schema"`
	Policy
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <policy>", Short: "Show the rules of a flow policy", Args: cobra.ExactArgs(1),
		Example: "panelctl policies show Strict",
		Long: "Shows the rules of a flow policy, named by its name or id, by GET /api/v1/policies/{id}. A compilation refuses " +
			"what they forbid and names the rule.",
		RunE: func(cmd *cobra.Command, args []string) error {
			policy, err := policyNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			return printPolicy(env, policy)
		},
	}
}

func printPolicy(env cli.Env, policy Policy) error {
	rows := make([][]string, len(policy.Rules))
	for i, r := range policy.Rules {
		rows[i] = []string{r.Type, dash(r.Name), dash(strings.Join(r.Values, ", ")), dash(number(r.Number))}
	}
	heads := []string{"Rule", "Name", "Values", "Number"}
	return env.List(policyRecord{Schema: "panelctl.policy/v1", Policy: policy}, heads, rows)
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// policyNamed finds a policy by its name or id.
func policyNamed(ctx context.Context, env cli.Env, name string) (policy Policy, err error) {
	client, err := env.Client()
	if err != nil {
		return policy, err
	}
	id, err := cli.IDOf(ctx, client, policiesPath, name,
		func(p Policy) (string, string) { return p.ID, p.Name }, cli.Say("there is no policy with the name %s", name))
	if err != nil {
		return policy, err
	}
	return policy, client.Get(ctx, policiesPath+"/"+url.PathEscape(id), &policy)
}

// catalogueRecord is what catalogue prints with --json.
type catalogueRecord struct {
	Schema string `json:"schema"`
	Catalogue
}

func catalogueCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "catalogue", Short: "Show the sets of the policy catalogue", Args: cobra.NoArgs,
		Example: "panelctl policies catalogue --json",
		Long: "Shows the newest version of the policy catalogue by GET /api/v1/policy-catalogue. Drawings choose traffic by " +
			"its sets.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var c Catalogue
			if err := client.Get(cmd.Context(), cataloguePath, &c); err != nil {
				return err
			}
			return printCatalogue(env, c)
		},
	}
}

func printCatalogue(env cli.Env, c Catalogue) error {
	rows := make([][]string, len(c.Sets))
	for i, s := range c.Sets {
		rows[i] = []string{
			s.Name, strconv.Itoa(len(s.Geosite) + len(s.GeoIP)), strconv.Itoa(len(s.Domain)), strconv.Itoa(len(s.IP)),
			dash(s.Description),
		}
	}
	heads := []string{"Set", "Categories", "Domains", "Networks", "Description"}
	return env.List(catalogueRecord{Schema: "panelctl.policy-catalogue/v1", Catalogue: c}, heads, rows)
}

// outdatedRecord is what outdated prints with --json.
type outdatedRecord struct {
	Schema string `json:"schema"`
	Outdated
}

func outdatedCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "outdated", Short: "List the flows that run an older snapshot of the policy catalogue", Args: cobra.NoArgs,
		Example: "panelctl policies outdated",
		Long: "Lists the flows whose snapshot of the catalogue says something else than the newest version, by GET " +
			"/api/v1/policy-catalogue/outdated. Compile and apply a flow to give it the newest version.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var found Outdated
			if err := client.Get(cmd.Context(), cataloguePath+"/outdated", &found); err != nil {
				return err
			}
			rows := make([][]string, len(found.Items))
			for i, f := range found.Items {
				rows[i] = []string{
					f.FlowName, strconv.Itoa(f.CatalogueVersion), strconv.Itoa(found.Newest), strings.Join(f.ChangedSets, ", "),
				}
			}
			heads := []string{"Flow", "Runs", "Newest", "Changed sets"}
			return env.List(outdatedRecord{Schema: "panelctl.policy-outdated/v1", Outdated: found}, heads, rows)
		},
	}
}

func plansCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "plans", Short: "List the custom plans", Args: cobra.NoArgs, Example: "panelctl policies plans",
		Long: "Lists the custom plans by their names, with the newest version of each and the policies that enable it. It asks " +
			"GET /api/v1/custom-plans, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			heads := []string{"Name", "Version", "Way", "Proxy", "Enabled in", "Flows"}
			return cli.ListAll(cmd.Context(), env, "panelctl.custom-plans/v1", plansPath, heads, func(p CustomPlan) []string {
				if len(p.Versions) == 0 {
					return []string{p.Name, "-", "-", "-", "-", "0"}
				}
				v, flows := p.Versions[0], map[string]bool{}
				for _, one := range p.Versions {
					for _, u := range one.UsedBy {
						flows[u.FlowID] = true
					}
				}
				return []string{
					p.Name, strconv.Itoa(v.Number), word(env, v.Body.Way), dash(endpoint(v.Body)), enabledText(env, v),
					strconv.Itoa(len(flows)),
				}
			})
		},
	}
}

func enabledText(env cli.Env, v PlanVersion) string {
	names := make([]string, len(v.EnabledIn))
	for i, p := range v.EnabledIn {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return word(env, "none")
	}
	return strings.Join(names, ", ")
}

func enableCommand(env cli.Env) *cobra.Command {
	var off bool
	command := &cobra.Command{
		Use: "enable <plan> <version> <policy>", Short: "Let the flows of a policy use a version of a custom plan",
		Args: cobra.ExactArgs(3), Example: "panelctl policies enable Upstream 2 Strict",
		Long: "Lets the flows of a policy use a version of a custom plan, by POST /api/v1/custom-plans/{id}/versions/{v}/enable. " +
			"With --off they may no longer: what runs goes on, and the next compilation refuses it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := planID(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			policy, err := policyNamed(cmd.Context(), env, args[2])
			if err != nil {
				return err
			}
			on, to := !off, plansPath+"/"+url.PathEscape(id)+"/versions/"+url.PathEscape(args[1])+"/enable"
			return madePlan(cmd.Context(), env, to, Enabling{PolicyID: policy.ID, Enabled: &on})
		},
	}
	command.Flags().BoolVar(&off, "off", false, "they may no longer")
	return command
}

// planRecord is what the acts on custom plans print with --json.
type planRecord struct {
	Schema string `json:"schema"`
	CustomPlan
}

func printPlan(env cli.Env, plan CustomPlan) error {
	rows := make([][]string, len(plan.Versions))
	for i, v := range plan.Versions {
		rows[i] = []string{strconv.Itoa(v.Number), word(env, v.Body.Way), dash(endpoint(v.Body)), enabledText(env, v)}
	}
	heads := []string{"Version", "Way", "Proxy", "Enabled in"}
	return env.List(planRecord{Schema: "panelctl.custom-plan/v1", CustomPlan: plan}, heads, rows)
}
