package policies

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/policies/internal/rules"
	"panel/platform/cli"
)

const (
	flowsPath = "/api/v1/connection-units"
	// mostInput is how much of a file a command reads; a whole catalogue fits.
	mostInput = 4 << 20
)

// written is what a policy says on the command line: in a file, in flags, or both, where flags win.
type written struct {
	file      string
	protocols []string
	rules     []string
}

// policyFile is a policy in a file. What is left out is not said.
type policyFile struct {
	Kind             string        `json:"kind"`
	Rules            *[]rules.Rule `json:"rules"`
	AllowedProtocols *[]string     `json:"allowed_protocols"`
}

func (w *written) flags(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&w.file, "file", "", "JSON with kind, rules and allowed_protocols; - is standard input")
	set.StringSliceVar(&w.protocols, "protocols", nil, "the protocols that clients may connect by; any when empty")
	set.StringArrayVar(&w.rules, "rule", nil, "a rule, such as max_nodes=3 or securities=tls,reality; again for further ones")
}

// read joins file and flags. Failures: usage.
func (w *written) read(env cli.Env, flags func(name string) bool) (said policyFile, err error) {
	if w.file != "" {
		if err := fromFile(env, w.file, &said); err != nil {
			return said, err
		}
	}
	if flags("protocols") {
		some := slices.DeleteFunc(w.protocols, func(one string) bool { return one == "" })
		said.AllowedProtocols = &some
	}
	if flags("rule") {
		all := make([]rules.Rule, 0, len(w.rules))
		for _, text := range w.rules {
			if text != "" {
				all = append(all, ruleOf(text))
			}
		}
		said.Rules = &all
	}
	return said, nil
}

// fromFile reads a JSON document, and takes no member that it does not know for one that counts.
func fromFile(env cli.Env, name string, into any) error {
	text, err := env.Input(name, mostInput)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil || len(text) > mostInput || decoder.More() {
		return cli.Usage(cli.Say("the file %s is not the JSON that this command reads; its help names an example", name))
	}
	return nil
}

// ruleOf reads a rule of a flag: its type, behind = its number or its values.
func ruleOf(text string) rules.Rule {
	kind, values, some := strings.Cut(text, "=")
	rule := rules.Rule{Type: strings.TrimSpace(kind)}
	if !some {
		return rule
	}
	if n, err := strconv.Atoi(strings.TrimSpace(values)); err == nil {
		rule.Number = n
		return rule
	}
	for one := range strings.SplitSeq(values, ",") {
		rule.Values = append(rule.Values, strings.TrimSpace(one))
	}
	return rule
}

func createCommand(env cli.Env) *cobra.Command {
	var said written
	var kind string
	command := &cobra.Command{
		Use: "create <name>", Short: "Create a flow policy", Args: cobra.ExactArgs(1),
		Example: "panelctl policies create Strict --kind security --rule securities=tls,reality --protocols vless,trojan",
		Long: "Makes a flow policy that no flow obeys yet, by POST /api/v1/policies. Its rules come from flags or from a JSON file " +
			`such as {"kind":"limits","rules":[{"type":"max_nodes","name":"Small","number":3}],"allowed_protocols":[]}.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := said.read(env, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			wanted := NewPolicy{Name: args[0], Kind: file.Kind}
			if kind != "" {
				wanted.Kind = kind
			}
			if file.Rules != nil {
				wanted.Rules = *file.Rules
			}
			if file.AllowedProtocols != nil {
				wanted.AllowedProtocols = *file.AllowedProtocols
			}
			return changed(cmd.Context(), env, http.MethodPost, policiesPath, wanted)
		},
	}
	command.Flags().StringVar(&kind, "kind", "", "balancer, routing, limits or security")
	said.flags(command)
	return command
}

func changeCommand(env cli.Env) *cobra.Command {
	var said written
	var name string
	command := &cobra.Command{
		Use: "change <policy>", Short: "Change a flow policy", Args: cobra.ExactArgs(1),
		Example: "panelctl policies change Strict --rule max_nodes=5 --rule max_entries=1",
		Long: "Changes the name, the rules or the protocols of a flow policy, by PATCH /api/v1/policies/{id}. What is given takes " +
			"the place of all that stood there; what is left out stays. Flows that run go on as they are.",
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := said.read(env, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			wanted := PolicyChange{Rules: file.Rules, AllowedProtocols: file.AllowedProtocols}
			if name != "" {
				wanted.Name = &name
			}
			if wanted == (PolicyChange{}) {
				return cli.Usage(cli.Say("say what changes: --name, --rule, --protocols or --file"))
			}
			policy, err := policyNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			if file.Kind != "" && file.Kind != policy.Kind {
				return cli.Usage(cli.Say("a policy keeps its kind, %s; make another one", policy.Kind))
			}
			wanted.Revision = &policy.Revision
			return changed(cmd.Context(), env, http.MethodPatch, policiesPath+"/"+url.PathEscape(policy.ID), wanted)
		},
	}
	command.Flags().StringVar(&name, "name", "", "a new name")
	said.flags(command)
	return command
}

// changed sends a change of a policy and prints what became of it.
func changed(ctx context.Context, env cli.Env, method, path string, body any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var policy Policy
	if err := client.Do(ctx, method, path, body, &policy); err != nil {
		return err
	}
	return printPolicy(env, policy)
}

func deleteCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "delete <policy>", Short: "Remove a flow policy that no flow obeys", Args: cobra.ExactArgs(1),
		Example: "panelctl policies delete Strict",
		Long: "Removes a flow policy, by DELETE /api/v1/policies/{id}. It is refused while flows obey the policy. Versions of " +
			"custom plans that it alone enables may be used by no flow any more.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return removed(cmd.Context(), env, args[0], policiesPath,
				func(p Policy) (string, string) { return p.ID, p.Name },
				cli.Say("there is no policy with the name %s", args[0]), cli.Say("The policy and its rules go."))
		},
	}
}

// removed deletes what a command line names, after it was asked for.
func removed[T any](
	ctx context.Context, env cli.Env, name, path string, identify func(T) (id, name string),
	none, consequence cli.Message,
) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	id, err := cli.IDOf(ctx, client, path, name, identify, none)
	if err != nil {
		return err
	}
	if err := env.ConfirmWord(consequence, "delete"); err != nil {
		return err
	}
	return client.Do(ctx, http.MethodDelete, path+"/"+url.PathEscape(id), nil, nil)
}

func assignCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "assign <policy> <flow>...", Short: "Let further flows obey a flow policy", Args: cobra.MinimumNArgs(2),
		Example: `panelctl policies assign Strict "Europe main"`,
		Long: "Lets flows obey a policy besides those that do, by PUT /api/v1/policies/{id}/flows. Nothing that runs changes; " +
			"their next compilation obeys.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return assigned(cmd.Context(), env, args, func(before, named []string) []string {
				return slices.Concat(before, named)
			})
		},
	}
}

func releaseCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "release <policy> <flow>...", Short: "Let flows obey a flow policy no more", Args: cobra.MinimumNArgs(2),
		Example: `panelctl policies release Strict "Europe main"`,
		Long: "Lets flows go from a policy, by PUT /api/v1/policies/{id}/flows. What runs goes on. A flow whose custom plan the " +
			"policy alone enables is refused when it is compiled next.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return assigned(cmd.Context(), env, args, func(before, named []string) []string {
				return slices.DeleteFunc(before, func(id string) bool { return slices.Contains(named, id) })
			})
		},
	}
}

// assigned says which flows obey a policy from now on. args are the policy and the flows.
func assigned(ctx context.Context, env cli.Env, args []string, joined func(before, named []string) []string) error {
	policy, err := policyNamed(ctx, env, args[0])
	if err != nil {
		return err
	}
	client, err := env.Client()
	if err != nil {
		return err
	}
	named := make([]string, 0, len(args))
	for _, name := range args[1:] {
		id, err := flowNamed(ctx, client, name)
		if err != nil {
			return err
		}
		named = append(named, id)
	}
	before := make([]string, len(policy.UsedBy))
	for i, flow := range policy.UsedBy {
		before[i] = flow.FlowID
	}
	wanted := Assignment{Revision: &policy.Revision, FlowIDs: append([]string{}, joined(before, named)...)}
	return changed(ctx, env, http.MethodPut, policiesPath+"/"+url.PathEscape(policy.ID)+"/flows", wanted)
}

func flowNamed(ctx context.Context, client *cli.Client, name string) (string, error) {
	type flow struct{ ID, Name string }
	return cli.IDOf(ctx, client, flowsPath, name, func(f flow) (string, string) { return f.ID, f.Name },
		cli.Say("there is no flow with the name %s", name))
}
