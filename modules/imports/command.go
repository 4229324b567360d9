package imports

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/imports/internal/confined"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/reading"
	"panel/platform/cli"
	"panel/platform/httpapi"
)

const (
	flowsPath = "/api/v1/connection-units"
	path      = "/api/v1/flow-imports"
)

// commands are what this module adds to the commands of flows. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "flows", Short: "Flows: the way from an entry to an exit"}
	group.AddCommand(importCommand(env), exportCommand(env), databaseCommand(env))
	return []*cobra.Command{group}
}

// databaseCommand is the process that reads a database for an import.
func databaseCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "read-database", Short: "Read a database of another panel within bounds; started by an import", Hidden: true,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			err := reading.Serve(cmd.Context(), env.Getenv, os.Stdin, env.Out)
			if errors.Is(err, confined.ErrFree) {
				return cli.Failed(cli.Say("an import starts this command by itself"))
			}
			return err
		},
	}
}

func exportCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "export <flow>", Short: "Print a flow as JSON", Args: cobra.ExactArgs(1),
		Example: "panelctl flows export \"Europe main\" > europe.json",
		Long: "Prints the draft of a flow, named by its name or id, as a document that panelctl flows import reads, by GET " +
			"/api/v1/connection-units/{id}/export. No key, secret, client or link is in it.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			type named struct{ ID, Name string }
			id, err := cli.IDOf(cmd.Context(), client, flowsPath, args[0],
				func(f named) (string, string) { return f.ID, f.Name }, cli.Say("there is no flow with the name %s", args[0]))
			if err != nil {
				return err
			}
			document, err := client.Document(cmd.Context(), flowsPath+"/"+url.PathEscape(id)+"/export")
			if err != nil {
				return err
			}
			if env.Form() == cli.JSON {
				return env.Record(document)
			}
			var text bytes.Buffer
			if err := json.Indent(&text, document, "", "  "); err != nil {
				return fmt.Errorf("print a flow: %w", err)
			}
			text.WriteByte('\n')
			_, err = env.Out.Write(text.Bytes())
			return err
		},
	}
}

// importing is what the flags of an import say.
type importing struct {
	env     cli.Env
	node    string
	entries []string
	name    string
	dryRun  bool
	address string
	user    string
}

func importCommand(env cli.Env) *cobra.Command {
	in := importing{env: env}
	command := &cobra.Command{
		Use: "import [file]", Short: "Make drafts of what another program or panel has", Args: cobra.MaximumNArgs(1),
		Example: "panelctl flows import x-ui.db --node fra-01 --dry-run",
		Long: "Reads a configuration of Xray, a profile of Remnawave with its users, a database of 3x-ui or an exported flow, " +
			"by POST /api/v1/flow-imports, and makes a draft with its clients of each entry. Nothing is installed. A file " +
			"above 64 MiB is read here, and only what becomes of it is sent. With --address the inbounds are read from a 3x-ui " +
			"panel; its API token is asked for.",
		RunE: func(cmd *cobra.Command, args []string) error { return in.run(cmd.Context(), args) },
	}
	flags := command.Flags()
	flags.StringVar(&in.node, "node", "", "node of the entries, by its name or id; else it is chosen in the draft")
	flags.StringArrayVar(&in.entries, "entry", nil, "only this entry, by its key; may be given several times")
	flags.StringVar(&in.name, "name", "", "name of the flow, where there is one entry")
	flags.BoolVar(&in.dryRun, "dry-run", false, "only show what was read")
	flags.StringVar(&in.address, "address", "", "address of a 3x-ui panel with its base path, instead of a file")
	flags.StringVar(&in.user, "user", "", "sign in to it with this name and a password, instead of an API token")
	return command
}

func (in *importing) run(ctx context.Context, args []string) error {
	if (len(args) == 0) == (in.address == "") {
		return cli.Usage(cli.Say("name a file, or the address of a panel with --address"))
	}
	client, err := in.env.Client()
	if err != nil {
		return err
	}
	var read Import
	if in.address != "" {
		read, err = in.outside(ctx, client)
	} else {
		read, err = in.file(ctx, client, args[0])
	}
	if err != nil {
		return err
	}
	in.remarks(read)
	if in.dryRun {
		err := in.env.List(importDocument{"panelctl.flows.import/v1", read}, entryHeads, rowsOf(read.Entries, entryCells))
		return errors.Join(err, client.Do(ctx, http.MethodDelete, path+"/"+read.ID, nil, nil))
	}
	return in.take(ctx, client, read)
}

func (in *importing) outside(ctx context.Context, client *cli.Client) (read Import, err error) {
	asked := Outside{Address: in.address, Username: in.user}
	question := cli.Say("API token of %s:", in.address)
	if in.user != "" {
		question = cli.Say("Password of %s:", in.user)
	}
	secret, err := in.env.AskSecret(ctx, question)
	if err != nil {
		return Import{}, err
	}
	if asked.Token = secret; in.user != "" {
		asked.Token, asked.Password = "", secret
	}
	return read, client.Post(ctx, path+"/outside", asked, &read)
}

// file sends a file as it is, or what was read of one that is larger than the panel takes.
func (in *importing) file(ctx context.Context, client *cli.Client, name string) (read Import, err error) {
	file, err := os.Open(name)
	if err != nil {
		return Import{}, cli.Failed(cli.Say("cannot read %s", name)).Because(cli.English(err.Error()))
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil || !about.Mode().IsRegular() {
		return Import{}, cli.Failed(cli.Say("cannot read %s", name)).Because(cli.Say("it is no file"))
	}
	if about.Size() <= httpapi.MaxUpload {
		return read, client.Send(ctx, path, file, about.Size(), &read)
	}
	in.env.Step(cli.Say("reading %s here: it is larger than the panel takes", name))
	found, err := reading.New().Read(ctx, file, about.Size())
	if errors.Is(err, reading.ErrTooMuch) {
		err = reading.ErrTooMuch
	}
	if err != nil {
		return Import{}, cli.Failed(cli.Say("cannot read %s", name)).Because(cli.Plain(in.env.T(err.Error())))
	}
	found.Schema = foreign.Schema
	text, err := json.Marshal(found)
	if err != nil {
		return Import{}, fmt.Errorf("encode what was read: %w", err)
	}
	return read, client.Send(ctx, path, bytes.NewReader(text), int64(len(text)), &read)
}

// remarks tells what could not be read.
func (in *importing) remarks(read Import) {
	for _, f := range read.Findings {
		what := strings.TrimSpace(f.Path + " " + f.What)
		in.env.Note(cli.Say("%s: %s", what, in.env.T(f.Reason)))
	}
}

type importDocument struct {
	Schema string `json:"schema"`
	Import
}

var (
	entryHeads = []string{"Entry", "Flow", "Protocol", "Transport", "Security", "Port", "Clients"}
	madeHeads  = []string{"Flow", "Clients", "ID"}
)

func entryCells(e Entry) []string {
	return []string{
		e.Key, e.Name, cli.OrDash(e.Protocol), cli.OrDash(e.Transport), cli.OrDash(e.Security), cli.OrDash(e.Port),
		strconv.Itoa(e.Clients),
	}
}

func madeCells(m Made) []string { return []string{m.Name, strconv.Itoa(m.Clients), m.ID} }

func rowsOf[T any](items []T, cells func(T) []string) [][]string {
	rows := make([][]string, len(items))
	for i, one := range items {
		rows[i] = cells(one)
	}
	return rows
}

// take makes the drafts: of the named entries, else of all that were not switched off there.
func (in *importing) take(ctx context.Context, client *cli.Client, read Import) error {
	choice, err := in.choice(read)
	if err != nil {
		return err
	}
	if in.node != "" {
		type node struct{ ID, Name string }
		choice.NodeID, err = cli.IDOf(ctx, client, "/api/v1/nodes", in.node,
			func(n node) (string, string) { return n.ID, n.Name }, cli.Say("there is no node with the name %s", in.node))
		if err != nil {
			return err
		}
	}
	var made Import
	if err := client.Post(ctx, path+"/"+read.ID+"/flows", choice, &made); err != nil {
		return err
	}
	made.Findings = read.Findings
	return in.env.List(importDocument{"panelctl.flows.import/v1", made}, madeHeads, rowsOf(made.Flows, madeCells))
}

func (in *importing) choice(read Import) (Take, error) {
	var out Take
	wanted := map[string]bool{}
	for _, key := range in.entries {
		wanted[key] = true
	}
	for _, e := range read.Entries {
		if wanted[e.Key] || len(in.entries) == 0 && !e.Off {
			out.Entries = append(out.Entries, Taken{Key: e.Key, Name: e.Name})
			delete(wanted, e.Key)
		}
	}
	for key := range wanted {
		return out, cli.Failed(cli.Say("nothing that was read has the key %s", key))
	}
	if len(out.Entries) == 0 {
		return out, cli.Failed(cli.Say("there is no entry that could become a flow"))
	}
	if in.name != "" && len(out.Entries) > 1 {
		return out, cli.Usage(cli.Say("--name is for one entry: choose it with --entry"))
	}
	if in.name != "" {
		out.Entries[0].Name = in.name
	}
	return out, nil
}
