package console

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"panel/modules/abuse/internal/lookups"
	"panel/platform/cli"
)

const lookupsPath = base + "/lookups"

// shownLookup is an answer as the command prints it.
type shownLookup struct {
	Schema string `json:"schema"`
	lookups.Lookup
}

var personHeads = []string{
	"User", "Flow", "Node", "Connections", "First seen", "Last seen", "Known from", "Exact", "Also did",
}

func lookupCommand(env cli.Env) *cobra.Command {
	var at, reason, dest string
	var port, tolerance int
	command := &cobra.Command{
		Use: "lookup <address>|<id>", Short: "Find who was behind a complaint", Args: cobra.ExactArgs(1),
		Example: "panelctl abuse lookup 203.0.113.7 --at 2026-03-10T15:04:00Z --dest 198.51.100.9 --dest-port 22 --reason \"abuse 4711\"",
		Long: "Asks which user reached for something from an address of the fleet at a moment, by POST /api/v1/abuse/lookups, waits " +
			"until the entries have answered, and lists who it may have been, the likeliest first. On the error stream it says which " +
			"entries could not tell. Why somebody asks is kept in the journal. An id shows an earlier answer.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			found := shownLookup{Schema: "panelctl.abuse.lookup/v1"}
			if uuid.Validate(args[0]) == nil {
				err = client.Get(cmd.Context(), lookupsPath+"/"+url.PathEscape(args[0]), &found.Lookup)
			} else {
				err = ask(cmd.Context(), client, asked(args[0], at, reason, dest, port, tolerance), &found.Lookup)
			}
			if err != nil {
				return err
			}
			return printLookup(env, found)
		},
	}
	flags := command.Flags()
	flags.StringVar(&at, "at", "", "the moment of the complaint, 2026-03-10T15:04:00Z")
	flags.StringVar(&reason, "reason", "", "why you ask, for the journal")
	flags.StringVar(&dest, "dest", "", "what was reached for: an address, a network or a name")
	flags.IntVar(&port, "dest-port", 0, "its port")
	flags.IntVar(&tolerance, "tolerance", 300, "how many seconds before and after count: 1 to 3600")
	return command
}

// asked is a complaint as the API takes it.
func asked(address, at, reason, dest string, port, tolerance int) map[string]any {
	body := map[string]any{"address": address, "at": at, "reason": reason, "tolerance_s": tolerance}
	if dest != "" {
		body["dest"] = dest
	}
	if port != 0 {
		body["dest_port"] = port
	}
	return body
}

const (
	answersWithin = 40 * time.Second
	asksEvery     = 500 * time.Millisecond
)

// ask waits until the entries have answered, and no longer than they may take.
func ask(ctx context.Context, client *cli.Client, body map[string]any, found *lookups.Lookup) error {
	switch _, err := time.Parse(time.RFC3339, body["at"].(string)); {
	case body["at"] == "" || body["reason"] == "":
		return cli.Usage(cli.Say("give the moment with --at and the reason with --reason"))
	case err != nil:
		return cli.Usage(cli.Say("this is no moment; write it as 2026-03-10T15:04:00Z"))
	}
	if err := client.Post(ctx, lookupsPath, body, found); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	for found.State == "running" {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(asksEvery):
		}
		*found = lookups.Lookup{Line: lookups.Line{ID: found.ID}}
		if err := client.Get(ctx, lookupsPath+"/"+found.ID, found); err != nil {
			return err
		}
	}
	return nil
}

func printLookup(env cli.Env, found shownLookup) error {
	rows := make([][]string, len(found.People))
	for i := range found.People {
		rows[i] = personCells(&found.People[i])
	}
	if err := env.List(found, personHeads, rows); err != nil {
		return err
	}
	if len(found.Nodes) == 0 {
		env.Note(cli.Say("no node has this address, or none of its flows has an entry"))
	}
	for i := range found.Nodes {
		note(env, &found.Nodes[i], found.At)
	}
	if found.More {
		env.Note(cli.Say("there are more than are told: name what was reached for, or a shorter time"))
	}
	return nil
}

func personCells(p *lookups.Person) []string {
	exact := "-"
	if p.Exact {
		exact = "yes"
	}
	also := make([]string, len(p.Also))
	for i, one := range p.Also {
		also[i] = one.Kind + " " + strconv.FormatInt(one.Count, 10)
	}
	return []string{
		nameOr(p.User, p.UserRef), cli.OrDash(nameOr(p.Flow, p.FlowID)), nameOr(p.Node, p.NodeID),
		strconv.FormatInt(p.Connections, 10), cli.Stamp(&p.FirstAt), cli.Stamp(&p.LastAt), p.From, exact,
		cli.OrDash(strings.Join(also, ", ")),
	}
}

// note says of an entry that it could not tell.
func note(env cli.Env, n *lookups.Node, at time.Time) {
	name := nameOr(n.Node, n.NodeID)
	switch {
	case n.State == "asked":
		env.Note(cli.Say("%s has not answered yet", name))
	case n.State == "unreachable":
		env.Note(cli.Say("%s could not be asked: %s", name, n.Error))
	case n.State == "no_record":
		env.Note(cli.Say("%s keeps no record of connections", name))
	case n.Since != nil && n.Since.After(at):
		env.Note(cli.Say("the record of %s begins at %s, after that moment", name, cli.Stamp(n.Since)))
	}
}

var lookupHeads = []string{"Asked at", "Address", "Complaint at", "Destination", "State", "Asked by", "Reason", "ID"}

func lookupsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "lookups", Short: "List who asked what about complaints", Args: cobra.NoArgs,
		Example: "panelctl abuse lookups",
		Long: "Lists the questions of the time for which answers are kept, the newest first, by GET /api/v1/abuse/lookups, page by " +
			"page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.abuse.lookups/v1", lookupsPath, lookupHeads, lookupCells)
		},
	}
}

func lookupCells(l lookups.Line) []string {
	to := l.Dest
	if l.DestPort > 0 {
		to += ":" + strconv.Itoa(l.DestPort)
	}
	return []string{
		cli.Stamp(&l.AskedAt), l.Address, cli.Stamp(&l.At), cli.OrDash(to), l.State, l.AskedBy, l.Reason, l.ID,
	}
}
