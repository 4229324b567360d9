package hosting

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/platform/cli"
)

var replacementHeads = []string{"Begun", "Machine", "Replaced by", "State", "Flows", "Error", "ID"}

func replacementCells(r Replacement) []string {
	moved := 0
	for _, f := range r.Flows {
		if f.State == flowMoved {
			moved++
		}
	}
	return []string{
		cli.Stamp(&r.CreatedAt), r.Name, r.ByName, r.State, fmt.Sprintf("%d/%d", moved, len(r.Flows)), cli.OrDash(r.Error),
		r.ID,
	}
}

func replaceCommand(env cli.Env) *cobra.Command {
	wanted, remove := ReplacementOrder{Old: oldKeep}, false
	cmd := beside(env, "replace <label> <machine> <name>", "Put a new machine in the place of one, with all its flows",
		"panelctl hosting replace main ams-1 ams-2 --region fsn1 --plan cx22 --image debian-12",
		"Shows what the new machine would cost and which flows would move, by POST "+
			"/api/v1/cloud-providers/{id}/servers/{server_id}/replace/preview, and begins when you agree, by POST "+
			"/api/v1/cloud-providers/{id}/servers/{server_id}/replace with an Idempotency-Key. The new machine is made, its "+
			"agent comes, the flows move to its node one after the other, transit pools get it as a member in the place of "+
			"the old one, the old node gets no new traffic, and the old "+
			"machine is kept or deleted. It stops at the first failure, with everything still serving; panelctl hosting "+
			"replacements tells how far it is.",
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) error {
			const third = 2
			wanted.Name = cmd.Flags().Arg(third)
			if remove {
				wanted.Old = oldDelete
			}
			return replaceMachine(cmd, env, client, path+"/servers/"+now.ID+"/replace", now.Name, wanted)
		})
	bindMachine(cmd, &wanted.NewMachine)
	cmd.Flags().StringVar(&wanted.AccountID, "account", "", "Account where it is made, by its id; else that of the old one")
	cmd.Flags().BoolVar(&remove, "delete-old", false, "Delete the old machine when no flow is on it any more")
	cmd.Flags().BoolVar(&wanted.ForceApply, "force-apply", false, "Also apply where readiness is not confirmed")
	return cmd
}

// replaceMachine asks for the price and what is hit, then whether it is agreed to.
func replaceMachine(
	cmd *cobra.Command, env cli.Env, client *cli.Client, path, old string, wanted ReplacementOrder,
) error {
	var quote ReplacementQuote
	if err := client.Post(cmd.Context(), path+"/preview", wanted.NewReplacement, &quote); err != nil {
		return err
	}
	question := cli.Say("The machine %s (%s, %s) costs %s. Flows that move to it: %d. Transit pools that it comes into: %s. "+
		"Open sessions that are cut: %s.", wanted.Name, quote.Plan.Name, quote.Image.Name, priced(&quote.Price),
		len(quote.Flows), listed(quote.Pools), figure(quote.Sessions))
	if err := env.Confirm(question, cli.Say("Type the name of the machine that is replaced to go on:"), old); err != nil {
		return err
	}
	wanted.Price = quote.Price
	var begun Replacement
	if err := client.Once(cmd.Context(), uuid.NewString(), path, wanted, &begun); err != nil {
		return err
	}
	return cli.PrintAll(env, schema(cmd.Name()), []Replacement{begun}, replacementHeads, replacementCells)
}

// listed writes the names of pools.
func listed(pools []HitPool) string {
	names := make([]string, len(pools))
	for i, pool := range pools {
		names[i] = pool.Name
	}
	return cli.OrDash(strings.Join(names, ", "))
}

// figure writes a number that nobody may know.
func figure(n *int64) string {
	if n == nil {
		return "?"
	}
	return fmt.Sprint(*n)
}

func replacementsCommand(env cli.Env) *cobra.Command {
	return below(env, "replacements <label>", "List machines of an account that were replaced",
		"panelctl hosting replacements main",
		"Lists the replacements of machines of an account, newest first, with how many flows have moved and why it "+
			"stopped. It asks GET /api/v1/cloud-providers/{id}/replacements, page by page.",
		func(cmd *cobra.Command, _ *cli.Client, path string) error {
			return cli.ListAll(cmd.Context(), env, schema("replacements"), path+"/replacements", replacementHeads,
				replacementCells)
		})
}

func cancelCommand(env cli.Env) *cobra.Command {
	return replacementCommand(env, "cancel", "Undo a replacement that has moved no flow yet",
		"Has the new machine deleted, by POST /api/v1/cloud-providers/{id}/replacements/{replacement_id}/cancel. It is "+
			"refused when flows move already.",
		cli.Say("The new machine is deleted as soon as its provider has made it."))
}

func continueCommand(env cli.Env) *cobra.Command {
	return replacementCommand(env, "continue", "Go on with a replacement that has failed",
		"Goes on from where it stopped, by POST /api/v1/cloud-providers/{id}/replacements/{replacement_id}/continue.",
		cli.Say("The flows that are left move to the new machine."))
}

// replacementCommand is one that acts on a replacement, named by its id.
func replacementCommand(env cli.Env, name, short, long string, question cli.Message) *cobra.Command {
	cmd := below(env, name+" <label> <replacement>", short,
		"panelctl hosting "+name+" main 0199a0de-0000-7000-8000-000000000003", long, nil)
	const both = 2
	cmd.Args = cobra.ExactArgs(both)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		path, err := pathOf(cmd, client, args[0])
		if err != nil {
			return err
		}
		if err := env.ConfirmWord(question, "GO"); err != nil {
			return err
		}
		var now Replacement
		if err := client.Post(cmd.Context(), path+"/replacements/"+url.PathEscape(args[1])+"/"+name, nil, &now); err != nil {
			return err
		}
		return cli.PrintAll(env, schema(name), []Replacement{now}, replacementHeads, replacementCells)
	}
	return cmd
}
