package policies

import (
	"context"
	"net/url"

	"github.com/spf13/cobra"

	"panel/modules/flows/flowsapi"
	"panel/platform/cli"
)

// bodyFlags are a way out on the command line.
type bodyFlags struct {
	body     NewPlanBody
	file     string
	password bool
	packets  string
	length   string
	interval string
}

func (b *bodyFlags) flags(command *cobra.Command) {
	set := command.Flags()
	set.StringVar(&b.file, "file", "", "JSON of the way out, which may hold its password; - is standard input")
	set.StringVar(&b.body.Way, "way", "", "direct, socks or http")
	set.StringVar(&b.body.Address, "address", "", "name or address of the proxy, as nodes reach it")
	set.IntVar(&b.body.Port, "port", 0, "port of the proxy")
	set.StringVar(&b.body.User, "user", "", "user at the proxy")
	set.BoolVar(&b.password, "ask-password", false, "ask for the password of the proxy")
	set.StringVar(&b.body.Family, "family", "", "direct: any, ipv4 or ipv6")
	set.StringVar(&b.packets, "split", "", "direct: split the beginning of connections: tlshello, or packets such as 1-3")
	set.StringVar(&b.length, "split-length", "100-200", "bytes of a piece")
	set.StringVar(&b.interval, "split-interval", "10-20", "milliseconds between pieces")
}

// read joins file and flags, where flags win. Failures: usage.
func (b *bodyFlags) read(cmd *cobra.Command, env cli.Env) (body NewPlanBody, err error) {
	if b.file != "" {
		if err := fromFile(env, b.file, &body); err != nil {
			return body, err
		}
	}
	for name, put := range map[string]func(){
		"way": func() { body.Way = b.body.Way }, "address": func() { body.Address = b.body.Address },
		"port": func() { body.Port = b.body.Port }, "user": func() { body.User = b.body.User },
		"family": func() { body.Family = b.body.Family },
		"split": func() {
			body.Fragment = &flowsapi.Fragment{Packets: b.packets, Length: b.length, Interval: b.interval}
		},
	} {
		if cmd.Flags().Changed(name) {
			put()
		}
	}
	if body.Way == "" {
		return body, cli.Usage(cli.Say("say where traffic leaves: --way direct, socks or http"))
	}
	if b.password {
		typed, err := env.AskSecret(cmd.Context(), cli.Say("Password of the proxy:"))
		if err != nil {
			return body, err
		}
		body.Password = &typed
	}
	return body, nil
}

func createPlanCommand(env cli.Env) *cobra.Command {
	var way bodyFlags
	command := &cobra.Command{
		Use: "create-plan <name>", Short: "Create a custom plan", Args: cobra.ExactArgs(1),
		Example: "panelctl policies create-plan Upstream --way socks --address proxy.example --port 1080 --user panel " +
			"--ask-password",
		Long: "Makes a custom plan with its first version, by POST /api/v1/custom-plans. Nothing may use it until a policy enables " +
			"it; policies enable does that.",
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := way.read(cmd, env)
			if err != nil {
				return err
			}
			return madePlan(cmd.Context(), env, plansPath, NewPlan{Name: args[0], Body: body})
		},
	}
	way.flags(command)
	return command
}

func editPlanCommand(env cli.Env) *cobra.Command {
	var way bodyFlags
	command := &cobra.Command{
		Use: "edit-plan <plan>", Short: "Create a new version of a custom plan", Args: cobra.ExactArgs(1),
		Example: "panelctl policies edit-plan Upstream --way socks --address proxy.example --port 1081",
		Long: "Makes the next version of a custom plan, by POST /api/v1/custom-plans/{id}/versions. The versions before stay as they " +
			"are, and nothing may use the new one until a policy enables it. The password stays while address, port and user do.",
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := way.read(cmd, env)
			if err != nil {
				return err
			}
			id, err := planID(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			var plan CustomPlan
			if err := client.Get(cmd.Context(), plansPath+"/"+url.PathEscape(id), &plan); err != nil {
				return err
			}
			newest := int64(0)
			if len(plan.Versions) > 0 {
				newest = int64(plan.Versions[0].Number)
			}
			return madePlan(cmd.Context(), env, plansPath+"/"+url.PathEscape(id)+"/versions", NewPlanVersion{Revision: &newest, Body: body})
		},
	}
	way.flags(command)
	return command
}

func deletePlanCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "delete-plan <plan>", Short: "Remove a custom plan that no flow uses", Args: cobra.ExactArgs(1),
		Example: "panelctl policies delete-plan Upstream",
		Long: "Removes a custom plan with all its versions, by DELETE /api/v1/custom-plans/{id}. It is refused while a draft or " +
			"what is installed uses one of them.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return removed(cmd.Context(), env, args[0], plansPath,
				func(p CustomPlan) (string, string) { return p.ID, p.Name },
				cli.Say("there is no custom plan with the name %s", args[0]), cli.Say("The custom plan and all its versions go."))
		},
	}
}

func madePlan(ctx context.Context, env cli.Env, path string, body any) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var plan CustomPlan
	if err := client.Post(ctx, path, body, &plan); err != nil {
		return err
	}
	return printPlan(env, plan)
}

// planID finds a custom plan by its name or id.
func planID(ctx context.Context, env cli.Env, name string) (string, error) {
	client, err := env.Client()
	if err != nil {
		return "", err
	}
	return cli.IDOf(ctx, client, plansPath, name, func(p CustomPlan) (string, string) { return p.ID, p.Name },
		cli.Say("there is no custom plan with the name %s", name))
}
