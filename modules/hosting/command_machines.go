package hosting

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/cli"
)

var serverHeads = []string{"Name", "Status", "Location", "Plan", "Addresses", "Price", "Due", "Node", "ID"}

func serverCells(s Server) []string {
	node := ""
	if s.NodeID != nil {
		node = *s.NodeID
	}
	return []string{
		s.Name, s.Status, cli.OrDash(s.Region), cli.OrDash(s.Plan),
		cli.OrDash(strings.Join(append(append([]string{}, s.IPv4...), s.IPv6...), ", ")), cli.OrDash(priced(s.Price)),
		cli.Stamp(s.NextDueAt), cli.OrDash(node), s.ID,
	}
}

// priced writes a price as people do: 4.51 EUR/month.
func priced(p *cloud.Price) string {
	if p == nil {
		return ""
	}
	return money(p.Amount, p.Currency) + "/" + p.Period
}

func serversCommand(env cli.Env) *cobra.Command {
	return below(env, "servers <label>", "List the machines of an account", "panelctl hosting servers main",
		"Lists the machines of an account as they were read last, with their prices and the nodes that have their "+
			"addresses. "+
			"It asks GET /api/v1/cloud-providers/{id}/servers, page by page.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			list, err := cli.All[Server](cmd.Context(), client, path+"/servers")
			if err != nil {
				return err
			}
			return cli.PrintAll(env, schema("servers"), list, serverHeads, serverCells)
		})
}

func regionsCommand(env cli.Env) *cobra.Command {
	return below(env, "regions <label>", "List where a provider makes machines", "panelctl hosting regions main",
		"Asks the provider of an account where it makes machines, by GET /api/v1/cloud-providers/{id}/regions.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			var list RegionList
			if err := client.Get(cmd.Context(), path+"/regions", &list); err != nil {
				return err
			}
			return cli.PrintAll(env, schema("regions"), list.Items, []string{"ID", "Name", "Country"},
				func(r cloud.Region) []string { return []string{r.ID, r.Name, cli.OrDash(r.Country)} })
		})
}

func plansCommand(env cli.Env) *cobra.Command {
	var region string
	cmd := below(env, "plans <label>", "List sizes of machines with their prices",
		"panelctl hosting plans main --region fsn1",
		"Asks the provider of an account which sizes of machines it has and what they cost, by GET "+
			"/api/v1/cloud-providers/{id}/plans.",
		func(cmd *cobra.Command, client *cli.Client, path string) error {
			var list PlanList
			if err := client.Get(cmd.Context(), cli.Asked(path+"/plans", map[string]string{"region": region}),
				&list); err != nil {
				return err
			}
			heads := []string{"ID", "Name", "CPUs", "Memory, MiB", "Disk, GiB", "Price"}
			return cli.PrintAll(env, schema("plans"), list.Items, heads, func(p cloud.Plan) []string {
				const mib, gib = 1 << 20, 1 << 30
				return []string{
					p.ID, p.Name, fmt.Sprint(p.Specs.VCPU), fmt.Sprint(p.Specs.Mem / mib),
					fmt.Sprint(p.Specs.Disk / gib),
					cli.OrDash(priced(p.Price)),
				}
			})
		})
	cmd.Flags().StringVar(&region, "region", "", "Only what can be had there, with the price there")
	return cmd
}

// below is a command about one account, named by its label.
func below(
	env cli.Env, use, short, example, long string, run func(*cobra.Command, *cli.Client, string) error,
) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: cobra.ExactArgs(1), Example: example, Long: long,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			return run(cmd, client, path)
		},
	}
}

// payment are the flags of what a machine costs and when it is paid.
type payment struct{ price, due string }

func (p *payment) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.price, "price", "", "What it costs, in minor units: 450EUR/month")
	cmd.Flags().StringVar(&p.due, "due", "", "Day when it must be paid next: 2026-12-31")
}

// read gives what the flags say; nothing where they are not given.
func (p *payment) read() (price *cloud.Price, due *time.Time, err error) {
	if p.price != "" {
		price = &cloud.Price{}
		const currencyLength = 3
		amount, period, found := strings.Cut(p.price, "/")
		digits := strings.TrimRight(amount, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
		price.Currency, price.Period = amount[len(digits):], period
		if _, err := fmt.Sscanf(digits, "%d", &price.Amount); err != nil || !found ||
			len(price.Currency) != currencyLength ||
			fmt.Sprint(price.Amount) != digits {
			return nil, nil, cli.Usage(cli.Say("a price is minor units, a currency and a period, such as 450EUR/month"))
		}
	}
	if p.due != "" {
		at, err := time.Parse(time.DateOnly, p.due)
		if err != nil {
			return nil, nil, cli.Usage(cli.Say("a day is written as 2026-12-31"))
		}
		due = &at
	}
	return price, due, nil
}

func enterCommand(env cli.Env) *cobra.Command {
	var asked payment
	var wanted NewEntry
	cmd := &cobra.Command{
		Use: "enter <label> <name>", Short: "Enter a machine by hand", Args: cobra.ExactArgs(2),
		Example: "panelctl hosting enter other ams-1 --ip 192.0.2.10 --price 450EUR/month --due 2026-12-31",
		Long: "Adds a machine to an account of the kind custom, whose provider is not called, by POST " +
			"/api/v1/cloud-providers/{id}/entries. Its node is found by its addresses.",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if wanted.Price, wanted.NextDueAt, err = asked.read(); err != nil {
				return err
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathOf(cmd, client, args[0])
			if err != nil {
				return err
			}
			wanted.Name = args[1]
			return printServer(cmd, env, client, http.MethodPost, path+"/entries", wanted)
		},
	}
	asked.bind(cmd)
	cmd.Flags().StringSliceVar(&wanted.IPs, "ip", nil, "Address of the machine; may be given several times")
	cmd.Flags().StringVar(&wanted.Region, "region", "", "Where it is")
	cmd.Flags().StringVar(&wanted.Plan, "plan", "", "What was ordered")
	return cmd
}

func printServer(cmd *cobra.Command, env cli.Env, client *cli.Client, method, path string, in any) error {
	var now Server
	if err := client.Do(cmd.Context(), method, path, in, &now); err != nil {
		return err
	}
	return cli.PrintAll(env, schema(cmd.Name()), []Server{now}, serverHeads, serverCells)
}

func payCommand(env cli.Env) *cobra.Command {
	var asked payment
	cmd := beside(env, "price <label> <machine>", "Say what a machine costs and when it is paid",
		"panelctl hosting price main ams-1 --price 450EUR/month --due 2026-12-31",
		"Notes price and due date of a machine whose provider does not say them, by PATCH "+
			"/api/v1/cloud-providers/{id}/servers/{server_id}.",
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) (err error) {
			wanted := ServerChange{Revision: &now.Revision}
			if wanted.Price, wanted.NextDueAt, err = asked.read(); err != nil {
				return err
			}
			return printServer(cmd, env, client, http.MethodPatch, path+"/servers/"+now.ID, wanted)
		})
	asked.bind(cmd)
	return cmd
}

func forgetCommand(env cli.Env) *cobra.Command {
	return beside(env, "forget <label> <machine>", "Remove a machine that was entered by hand",
		"panelctl hosting forget other ams-1 --yes",
		"Removes a machine that was entered by hand, by DELETE "+
			"/api/v1/cloud-providers/{id}/entries/{server_id}. At its provider nothing changes.",
		func(cmd *cobra.Command, client *cli.Client, path string, now *Server) error {
			question := cli.Say("The panel forgets the machine and what it costs. At its provider nothing changes.")
			if err := env.ConfirmWord(question, "FORGET"); err != nil {
				return err
			}
			return client.Do(cmd.Context(), http.MethodDelete, path+"/entries/"+now.ID, nil, nil)
		})
}

// beside is a command about one machine of an account, and perhaps something more.
func beside(
	env cli.Env, use, short, example, long string, run func(*cobra.Command, *cli.Client, string, *Server) error,
) *cobra.Command {
	cmd := below(env, use, short, example, long, nil)
	cmd.Args = cobra.ExactArgs(strings.Count(use, "<"))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		path, now, err := serverOf(cmd, client, args[0], args[1])
		if err != nil {
			return err
		}
		return run(cmd, client, path, &now)
	}
	return cmd
}

// serverOf gives a machine of an account, named by its name or its id, and the address of the account.
func serverOf(cmd *cobra.Command, client *cli.Client, label, name string) (path string, found Server, err error) {
	if path, err = pathOf(cmd, client, label); err != nil {
		return path, found, err
	}
	if uuid.Validate(name) == nil {
		err = client.Get(cmd.Context(), path+"/servers/"+url.PathEscape(name), &found)
		return path, found, err
	}
	all, err := cli.All[Server](cmd.Context(), client, path+"/servers")
	if err != nil {
		return path, found, err
	}
	matches := 0
	for _, one := range all {
		if one.Name == name {
			found = one
			matches++
		}
	}
	if matches != 1 {
		return path, found, cli.Failed(cli.Say("there is no machine %s, or more than one", name))
	}
	return path, found, nil
}
