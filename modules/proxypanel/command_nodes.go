package proxypanel

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/proxypanel/internal/offers"
	"panel/platform/cli"
)

var mappingHeads = []string{"Node there", "Address", "State", "Profile there", "Node", "Flows", "ID"}

func mappingCells(v PanelNodeView) []string {
	node, flows := "", ""
	switch {
	case v.Mapping != nil:
		node, flows = v.Mapping.NodeName, strings.Join(v.Mapping.FlowIDs, ", ")
		if node == "" {
			node = v.Mapping.NodeID
		}
	case v.Proposal != nil:
		node = "(" + v.Proposal.NodeName + "?)"
	}
	return []string{
		v.Name, v.Address, v.State, cli.OrDash(v.Runs), cli.OrDash(node), cli.OrDash(flows), v.PanelNodeID,
	}
}

func mappingCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "mapping <label>", Short: "Show which nodes there are which of ours", Args: cobra.ExactArgs(1),
		Example: "panelctl proxypanel mapping main",
		Long: "Lists the nodes of a proxy panel with the node that each was adopted for, or in brackets the node that has its " +
			"address. It asks GET /api/v1/proxypanel/connections/{id}/mapping.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, id, err := reached(cmd, env, args[0])
			if err != nil {
				return err
			}
			var list MappingList
			if err := client.Get(cmd.Context(), pathOf(id)+"/mapping", &list); err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.proxypanel.mapping/v1", list.Items, mappingHeads, mappingCells)
		},
	}
}

func adoptCommand(env cli.Env) *cobra.Command {
	var replace bool
	command := &cobra.Command{
		Use: "adopt <label> <node-there> <node-id>", Short: "Adopt a node of a proxy panel", Args: cobra.ExactArgs(3),
		Example: "panelctl proxypanel adopt main ams-1 0199a0de-0000-7000-8000-000000000001 --replace",
		Long: "Says by POST /api/v1/proxypanel/connections/{id}/adopt that a node of the proxy panel runs on a node of ours, so " +
			"that entries of flows there may be served by it. Nothing changes there by that. While it serves flows it runs a " +
			"profile of the panel; --replace says that the one that it runs now may be replaced, and it is put back afterwards.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, id, err := reached(cmd, env, args[0])
			if err != nil {
				return err
			}
			there, err := nodeThere(cmd.Context(), client, id, args[1])
			if err != nil {
				return err
			}
			var adopted PanelNodeView
			err = client.Do(cmd.Context(), http.MethodPost, pathOf(id)+"/adopt",
				Adoption{PanelNodeID: there, NodeID: args[2], Replace: replace}, &adopted)
			if err != nil {
				return err
			}
			return cli.PrintAll(env, "panelctl.proxypanel.adopt/v1", []PanelNodeView{adopted}, mappingHeads, mappingCells)
		},
	}
	command.Flags().BoolVar(&replace, "replace", false, "its profile may be replaced as long as it serves flows")
	return command
}

func releaseCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "release <label> <node-there>", Short: "Release a node of a proxy panel", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel release main ams-1 --yes",
		Long: "Takes back by DELETE /api/v1/proxypanel/connections/{id}/nodes/{node}/mapping that a node of the proxy panel is " +
			"one of ours. It is refused while flows are served by it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, id, err := reached(cmd, env, args[0])
			if err != nil {
				return err
			}
			there, err := nodeThere(cmd.Context(), client, id, args[1])
			if err != nil {
				return err
			}
			if err := env.ConfirmWord(cli.Say("No flow can be served by this node any more."), "RELEASE"); err != nil {
				return err
			}
			path := pathOf(id) + "/nodes/" + url.PathEscape(there) + "/mapping"
			return client.Do(cmd.Context(), http.MethodDelete, path, nil, nil)
		},
	}
}

var driftHeads = []string{"Kind", "Name", "Field", "Ours", "Theirs", "Since", "Object"}

func driftCells(d offers.Drift) []string {
	return []string{
		d.Kind, d.Name, d.Field, cli.OrDash(d.Ours), cli.OrDash(d.Theirs), cli.Stamp(&d.Since), d.Object,
	}
}

func driftCommand(env cli.Env) *cobra.Command {
	var now bool
	command := &cobra.Command{
		Use: "drift <label>", Short: "Show what is not there as it was written", Args: cobra.ExactArgs(1),
		Example: "panelctl proxypanel drift main --now",
		Long: "Lists the fields of objects at a proxy panel that are not as the panel wrote them, as they were compared last. It " +
			"asks GET /api/v1/proxypanel/connections/{id}/drift; --now compares them by POST. It ends with 1 where something " +
			"differs.",
		RunE: func(cmd *cobra.Command, args []string) error {
			method := http.MethodGet
			if now {
				method = http.MethodPost
			}
			return drift(cmd, env, args[0], method, "")
		},
	}
	command.Flags().BoolVar(&now, "now", false, "compare now")
	return command
}

func takeOverCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "take-over <label> <object>", Short: "Take over what a proxy panel has", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel take-over main host-0199a0de-0000-7000-8000-000000000001",
		Long: "Holds what somebody has changed of an object at the proxy panel, by POST " +
			"/api/v1/proxypanel/connections/{id}/drift/{object}/adopt. That is possible for the remark of a host.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return drift(cmd, env, args[0], http.MethodPost, "/"+url.PathEscape(args[1])+"/adopt")
		},
	}
}

func overwriteCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "overwrite <label> <object>", Short: "Write an object of a proxy panel again", Args: cobra.ExactArgs(2),
		Example: "panelctl proxypanel overwrite main profile-0199a0de-0000-7000-8000-000000000001 --yes",
		Long: "Writes an object at the proxy panel again as the panel holds it, by POST " +
			"/api/v1/proxypanel/connections/{id}/drift/{object}/overwrite. To write a profile restarts Xray on its node: " +
			"sessions there end.",
		RunE: func(cmd *cobra.Command, args []string) error {
			question := cli.Say("What somebody has changed of this object is lost, and sessions on its node may end.")
			if err := env.ConfirmWord(question, "OVERWRITE"); err != nil {
				return err
			}
			return drift(cmd, env, args[0], http.MethodPost, "/"+url.PathEscape(args[1])+"/overwrite")
		},
	}
}

// drift asks for what differs, or settles a part of it, and prints what differs then. Failure: something does.
func drift(cmd *cobra.Command, env cli.Env, label, method, path string) error {
	client, id, err := reached(cmd, env, label)
	if err != nil {
		return err
	}
	var list DriftList
	if err := client.Do(cmd.Context(), method, pathOf(id)+"/drift"+path, nil, &list); err != nil {
		return err
	}
	schema := "panelctl.proxypanel." + cmd.Name() + "/v1"
	if err := cli.PrintAll(env, schema, list.Items, driftHeads, driftCells); err != nil {
		return err
	}
	if len(list.Items) > 0 {
		return cli.Failed(cli.Say("%d fields at the proxy panel are not as they were written", len(list.Items)))
	}
	return nil
}

// reached gives a client of our own API and the id of a connection.
func reached(cmd *cobra.Command, env cli.Env, label string) (*cli.Client, string, error) {
	client, err := env.Client()
	if err != nil {
		return nil, "", err
	}
	id, err := idOf(cmd, client, label)
	return client, id, err
}

// nodeThere finds a node of a proxy panel by its name, or takes an id as it is.
func nodeThere(ctx context.Context, client *cli.Client, connectionID, name string) (string, error) {
	if uuid.Validate(name) == nil {
		return name, nil
	}
	var list MappingList
	if err := client.Get(ctx, pathOf(connectionID)+"/mapping", &list); err != nil {
		return "", err
	}
	for _, one := range list.Items {
		if one.Name == name {
			return one.PanelNodeID, nil
		}
	}
	return "", cli.Failed(cli.Say("the proxy panel has no node %s", name))
}
