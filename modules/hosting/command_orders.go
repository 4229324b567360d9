package hosting

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/cli"
)

var orderHeads = []string{"Begun", "Act", "Machine", "State", "Price", "Error", "Operation"}

func orderCells(o Order) []string {
	return []string{
		cli.Stamp(&o.CreatedAt), o.Act, o.Name, o.State, cli.OrDash(priced(o.Price)), cli.OrDash(o.Error), o.ID,
	}
}

func ordersCommand(env cli.Env) *cobra.Command {
	return below(env, "orders <label>", "List what was done with machines of an account", "panelctl hosting orders main",
		"Lists what was wanted of machines of an account, newest first, with how far it is and why it failed. It asks "+
			"GET /api/v1/cloud-providers/{id}/orders, page by page.",
		func(cmd *cobra.Command, _ *cli.Client, path string) error {
			return cli.ListAll(cmd.Context(), env, schema("orders"), path+"/orders", orderHeads, orderCells)
		})
}

func imagesCommand(env cli.Env) *cobra.Command {
	return below(env, "images <label>", "List systems that machines can begin with", "panelctl hosting images main",
		"Asks the provider of an account which systems it has that run cloud-init, by GET "+
			"/api/v1/cloud-providers/{id}/images.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			var list ImageList
			if err := client.Get(cmd.Context(), path+"/images", &list); err != nil {
				return err
			}
			return cli.PrintAll(env, schema("images"), list.Items, []string{"ID", "Name"},
				func(i cloud.Image) []string { return []string{i.ID, i.Name} })
		})
}

func createCommand(env cli.Env) *cobra.Command {
	var wanted NewServer
	cmd := below(env, "create <label> <name>", "Create a machine with an agent",
		"panelctl hosting create main ams-1 --region fsn1 --plan cx22 --image debian-12",
		"Shows what a machine would cost, by POST /api/v1/cloud-providers/{id}/servers/preview, and orders it when you "+
			"agree, by POST /api/v1/cloud-providers/{id}/servers with an Idempotency-Key. It starts with an agent, which "+
			"becomes the node of the machine. panelctl hosting orders tells how far it is.", nil)
	cmd.Args = cobra.ExactArgs(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		path, err := pathOf(cmd, client, args[0])
		if err != nil {
			return err
		}
		wanted.Name = args[1]
		return orderMachine(cmd, env, client, path, wanted)
	}
	bindMachine(cmd, &wanted.NewMachine)
	cmd.Flags().StringVar(&wanted.NodeID, "node", "", "Node that it becomes, whose agent is not online; else one is added")
	return cmd
}

// bindMachine adds the flags of a machine that is to be made.
func bindMachine(cmd *cobra.Command, wanted *NewMachine) {
	cmd.Flags().StringVar(&wanted.Region, "region", "", "Where it is made; panelctl hosting regions lists them")
	cmd.Flags().StringVar(&wanted.Plan, "plan", "", "Its size; panelctl hosting plans lists them")
	cmd.Flags().StringVar(&wanted.Image, "image", "", "Its system; panelctl hosting images lists them")
}

// orderMachine asks for the price, then whether it is agreed to.
func orderMachine(cmd *cobra.Command, env cli.Env, client *cli.Client, path string, wanted NewServer) error {
	price, err := agreed(cmd, env, client, path, wanted)
	if err != nil {
		return err
	}
	var made Order
	err = client.Once(cmd.Context(), uuid.NewString(), path+"/servers", ServerOrder{NewServer: wanted, Price: price},
		&made)
	if err != nil {
		return err
	}
	return cli.PrintAll(env, schema(cmd.Name()), []Order{made}, orderHeads, orderCells)
}

// agreed is the price of a machine that somebody has agreed to.
func agreed(cmd *cobra.Command, env cli.Env, client *cli.Client, path string, wanted NewServer) (cloud.Price, error) {
	var quote Quote
	if err := client.Post(cmd.Context(), path+"/servers/preview", wanted, &quote); err != nil {
		return cloud.Price{}, err
	}
	return quote.Price, env.ConfirmWord(costs(wanted.Name, quote), "BUY")
}

func costs(name string, quote Quote) cli.Message {
	return cli.Say("The machine %s (%s, %s) costs %s.", name, quote.Plan.Name, quote.Image.Name, priced(&quote.Price))
}

func powerCommand(env cli.Env) *cobra.Command {
	return beside(env, "power <label> <machine> <act>", "Switch a machine on or off, or start it anew",
		"panelctl hosting power main ams-1 reboot",
		"Has the provider switch a machine, by POST /api/v1/cloud-providers/{id}/servers/{server_id}/power, as an "+
			"operation: on, off or reboot. A machine that is switched off is so at once, without its system being asked.",
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) error {
			const third = 2
			act := cmd.Flags().Arg(third)
			question := cli.Say("Whoever uses the machine %s is cut off.", now.Name)
			if act != cloud.PowerOn {
				if err := env.Confirm(question, cli.Say("Type the name of the machine to go on:"), now.Name); err != nil {
					return err
				}
			}
			return printOrder(cmd, env, client, http.MethodPost, path+"/servers/"+now.ID+"/power", PowerChange{Act: act})
		})
}

func deleteCommand(env cli.Env) *cobra.Command {
	return beside(env, "delete <label> <machine>", "Delete a machine at its provider", "panelctl hosting delete main ams-1",
		"Has the provider delete a machine with all that is on it, by DELETE "+
			"/api/v1/cloud-providers/{id}/servers/{server_id}, as an operation. It is refused while flows are installed on "+
			"its node.",
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) error {
			question := cli.Say("The provider deletes the machine %s with all that is on it.", now.Name)
			if err := env.Confirm(question, cli.Say("Type the name of the machine to go on:"), now.Name); err != nil {
				return err
			}
			to := path + "/servers/" + now.ID + "?confirm=" + url.QueryEscape(now.Name)
			return printOrder(cmd, env, client, http.MethodDelete, to, nil)
		})
}

func printOrder(cmd *cobra.Command, env cli.Env, client *cli.Client, method, path string, in any) error {
	var order Order
	if err := client.Do(cmd.Context(), method, path, in, &order); err != nil {
		return err
	}
	return cli.PrintAll(env, schema(cmd.Name()), []Order{order}, orderHeads, orderCells)
}
