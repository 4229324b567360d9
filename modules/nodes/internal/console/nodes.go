package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const path = "/api/v1/nodes"

// node is a node as far as the commands show it.
type node struct {
	ID          string    `json:"id"`
	Name        string    `json:"name"`
	Address     string    `json:"address"`
	CountryCode string    `json:"country_code"`
	City        string    `json:"city"`
	Tags        []string  `json:"tags"`
	Note        string    `json:"note"`
	State       string    `json:"state"`
	StateSince  time.Time `json:"state_since"`
	Reasons     []string  `json:"reasons"`
	Revision    int64     `json:"revision"`
	Agent       struct {
		Version    string     `json:"version"`
		LastSeenAt *time.Time `json:"last_seen_at"`
	} `json:"agent"`
	Core struct {
		Version string `json:"version"`
		State   string `json:"state"`
		InSync  bool   `json:"in_sync"`
	} `json:"core"`
	Maintenance *struct {
		Until  *time.Time `json:"until"`
		Reason string     `json:"reason"`
	} `json:"maintenance"`
}

// detail is a node with what only its own page has.
type detail struct {
	node
	whole   map[string]any // as the API tells it
	FlowIDs []string       `json:"flow_ids"`
	Traffic struct {
		LimitBytes *int64    `json:"limit_bytes"`
		NotifyPct  int       `json:"notify_pct"`
		UsedBytes  int64     `json:"used_bytes"`
		ResetsAt   time.Time `json:"resets_at"`
	} `json:"traffic"`
}

var heads = []string{"Node", "State", "Address", "Country", "Agent", "Core", "Tags", "ID"}

func cellsOf(n node) []string {
	core := strings.TrimSpace(n.Core.Version + " " + n.Core.State)
	return []string{
		n.Name, n.State, cli.OrDash(n.Address), cli.OrDash(n.CountryCode), cli.OrDash(n.Agent.Version),
		cli.OrDash(core), cli.OrDash(strings.Join(n.Tags, ", ")), n.ID,
	}
}

func listCommand(env cli.Env) *cobra.Command {
	var part, state, tag, role, country string
	command := &cobra.Command{
		Use: "list", Short: "List nodes", Args: cobra.NoArgs,
		Example: "panelctl nodes list --state attention",
		Long: "Lists nodes by their names, with their state, agent and core. It asks GET /api/v1/nodes, page by page. " +
			"The state attention means offline or degraded.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			asked := cli.Asked(path, map[string]string{
				"q": part, "state": state, "tag": tag, "role": role, "country": country,
			})
			return cli.ListAll(cmd.Context(), env, "panelctl.nodes.list/v1", asked, heads, cellsOf)
		},
	}
	flags := command.Flags()
	flags.StringVar(&part, "find", "", "show only nodes with this text in their name, address or tags")
	flags.StringVar(&state, "state", "", "show only nodes in this state: pending, online, degraded, offline, maintenance, "+
		"disabled or attention")
	flags.StringVar(&tag, "tag", "", "show only nodes with this tag")
	flags.StringVar(&role, "role", "", "show only nodes with this role: entry, transit, exit or edge")
	flags.StringVar(&country, "country", "", "show only nodes in this country, by its two letters")
	return command
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <node>", Short: "Show a node", Args: cobra.ExactArgs(1),
		Example: "panelctl nodes show fra-01",
		Long: "Shows a node, named by its name or id: its state and why, agent and core, maintenance, and what it has carried of " +
			"what its hoster allows. It asks GET /api/v1/nodes/{id}.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			found, err := nodeNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			return show(env, "panelctl.nodes.show/v1", found)
		},
	}
}

// nodeNamed reads the node that a command line names by its name or id.
func nodeNamed(ctx context.Context, client *cli.Client, named string) (found detail, err error) {
	id, err := cli.IDOf(ctx, client, path, named, func(n node) (string, string) { return n.ID, n.Name },
		cli.Say("there is no node with the name %s", named))
	if err != nil {
		return found, err
	}
	text, err := client.Document(ctx, path+"/"+url.PathEscape(id))
	if err != nil {
		return found, err
	}
	if err := errors.Join(json.Unmarshal(text, &found), json.Unmarshal(text, &found.whole)); err != nil {
		return found, fmt.Errorf("read the node %s: %w", named, err)
	}
	return found, nil
}

// show prints a node: with --json all that the API tells of it.
func show(env cli.Env, schema string, n detail) error {
	document := maps.Clone(n.whole)
	document["schema"] = schema
	return env.Record(document, detailFields(n)...)
}

func detailFields(n detail) []cli.Field {
	row, limit, until, reason := cellsOf(n.node), "-", "-", ""
	if n.Traffic.LimitBytes != nil {
		limit = strconv.FormatInt(*n.Traffic.LimitBytes, 10)
	}
	if n.Maintenance != nil {
		until, reason = cli.Stamp(n.Maintenance.Until), n.Maintenance.Reason
	}
	return []cli.Field{
		{Key: "node", Label: heads[0], Value: row[0]},
		{Key: "state", Label: heads[1], Value: row[1]},
		{Key: "since", Label: "Since", Value: cli.Stamp(&n.StateSince)},
		{Key: "reasons", Label: "Reasons", Value: cli.OrDash(strings.Join(n.Reasons, ", "))},
		{Key: "maintenance_until", Label: "Maintenance until", Value: until},
		{Key: "maintenance_reason", Label: "Maintenance because", Value: oneLine(reason)},
		{Key: "address", Label: heads[2], Value: row[2]},
		{Key: "country", Label: heads[3], Value: row[3]},
		{Key: "city", Label: "City", Value: cli.OrDash(n.City)},
		{Key: "agent", Label: heads[4], Value: row[4]},
		{Key: "last_seen_at", Label: "Last heard of", Value: cli.Stamp(n.Agent.LastSeenAt)},
		{Key: "core", Label: heads[5], Value: row[5]},
		{Key: "in_sync", Label: "In sync", Value: strconv.FormatBool(n.Core.InSync)},
		{Key: "flows", Label: "Flows", Value: strconv.Itoa(len(n.FlowIDs))},
		{Key: "traffic_used_bytes", Label: "Traffic used, bytes", Value: strconv.FormatInt(n.Traffic.UsedBytes, 10)},
		{Key: "traffic_limit_bytes", Label: "Traffic limit, bytes", Value: limit},
		{Key: "traffic_notify_pct", Label: "Notice at, %", Value: strconv.Itoa(n.Traffic.NotifyPct)},
		{Key: "traffic_resets_at", Label: "Traffic resets", Value: cli.Stamp(&n.Traffic.ResetsAt)},
		{Key: "tags", Label: heads[6], Value: row[6]},
		{Key: "note", Label: "Note", Value: oneLine(n.Note)},
		{Key: "id", Label: heads[7], Value: row[7]},
	}
}

// oneLine keeps a text of people within its line.
func oneLine(text string) string { return cli.OrDash(strings.Join(strings.Fields(text), " ")) }
