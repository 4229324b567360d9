package geo

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const apiPath = "/api/v1/geo-assets"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "geo", Short: "Files of names and networks that nodes route by"}
	group.AddCommand(
		listCommand(env), showCommand(env), addCommand(env), updateCommand(env), distributeCommand(env),
		rollbackCommand(env), pinCommand(env), lookupCommand(env), categoriesCommand(env), changesCommand(env),
		validateCommand(env),
	)
	return []*cobra.Command{group}
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the geo files", Args: cobra.NoArgs, Example: "panelctl geo list --json",
		Long: "Lists the geo files with what became of the last update and how many nodes hold them. It asks GET " +
			"/api/v1/geo-assets, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			heads := []string{"Name", "State", "Reason", "Version", "Entries", "Nodes"}
			return cli.ListAll(cmd.Context(), env, "panelctl.geo-assets/v1", apiPath, heads, row)
		},
	}
}

// row is an asset as a line of a table.
func row(a Asset) []string {
	version, entries := "-", "-"
	if a.Version != nil {
		version, entries = short(a.Version.SHA256), strconv.FormatInt(a.Version.Entries, 10)
	}
	return []string{
		a.Name, a.State, dash(a.RejectReason), version, entries,
		strconv.Itoa(a.Nodes.Current) + "/" + strconv.Itoa(a.Nodes.Total),
	}
}

func short(sha256 string) string { return sha256[:min(len(sha256), 12)] }

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// assetRecord is what the commands about one asset print with --json.
type assetRecord struct {
	Schema string `json:"schema"`
	Asset
}

func printAsset(env cli.Env) func(Asset) error {
	return func(a Asset) error {
		heads := []string{"Name", "State", "Reason", "Version", "Entries", "Nodes"}
		return env.List(assetRecord{Schema: "panelctl.geo-asset/v1", Asset: a}, heads, [][]string{row(a)})
	}
}

// command is what a command does: it asks the panel something and prints the answer.
func command[T any](
	env cli.Env, ask func(ctx context.Context, client *cli.Client, args []string, answer *T) error, show func(T) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		client, err := env.Client()
		if err != nil {
			return err
		}
		var answer T
		if err := ask(cmd.Context(), client, args, &answer); err != nil {
			return err
		}
		return show(answer)
	}
}

// onAsset is a command about the asset that its argument names, by the name or the id.
func onAsset[T any](
	env cli.Env, ask func(ctx context.Context, client *cli.Client, path string, answer *T) error, show func(T) error,
) func(*cobra.Command, []string) error {
	return command(env, func(ctx context.Context, client *cli.Client, args []string, answer *T) error {
		path, err := pathOf(ctx, client, args[0])
		if err != nil {
			return err
		}
		return ask(ctx, client, path, answer)
	}, show)
}

// pathOf finds an asset by its name or id.
func pathOf(ctx context.Context, client *cli.Client, name string) (string, error) {
	id, err := cli.IDOf(ctx, client, apiPath, name, func(a Asset) (string, string) { return a.ID, a.Name },
		cli.Say("there is no geo file with the name %s", name))
	return apiPath + "/" + url.PathEscape(id), err
}

func showCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show <file>", Short: "Show a geo file", Args: cobra.ExactArgs(1), Example: "panelctl geo show geosite.dat",
		Long: "Shows a geo file, named by its name or id, with its versions, by GET /api/v1/geo-assets/{id}.",
		RunE: onAsset(env, func(ctx context.Context, client *cli.Client, path string, a *Asset) error {
			return client.Get(ctx, path, a)
		}, printAsset(env)),
	}
}

func addCommand(env cli.Env) *cobra.Command {
	var in NewAsset
	var checksum string
	var onNodes bool
	added := &cobra.Command{
		Use: "add <kind>", Short: "Add a geo file", Args: cobra.ExactArgs(1),
		Example: "panelctl geo add geosite --preset v2fly --update",
		Long: "Adds a geo file of the kind geoip, geosite, custom or mmdb, by POST /api/v1/geo-assets. With --update it is " +
			"fetched at once and rolled out.",
	}
	flags := added.Flags()
	added.RunE = command(env, func(ctx context.Context, client *cli.Client, args []string, made *Asset) error {
		in.File = args[0]
		if flags.Changed("checksum") {
			in.ChecksumURL = &checksum
		}
		if onNodes {
			in.OnNodes = &onNodes
		}
		return client.Post(ctx, apiPath, in, made)
	}, printAsset(env))
	flags.StringVar(&in.Preset, "preset", presetCustom, "known source: v2fly, loyalsoldier, chocolate4u_ir, runetfreedom_ru")
	flags.StringVar(&in.Name, "name", "", "name of the file, for custom and mmdb")
	flags.StringVar(&in.SourceURL, "source", "", "address of the file")
	flags.StringVar(&checksum, "checksum", "", "address of its SHA-256")
	flags.BoolVar(&onNodes, "on-nodes", false, "of mmdb: nodes hold it, too, and tell networks and countries of clients")
	flags.BoolVar(&in.Pinned, "pin", false, "the schedule leaves it alone")
	flags.BoolVar(&in.Update, "update", false, "fetch it at once and roll it out")
	return added
}

// startedRecord is what update prints with --json.
type startedRecord struct {
	Schema string `json:"schema"`
	UpdateStarted
}

func updateCommand(env cli.Env) *cobra.Command {
	var only bool
	update := &cobra.Command{
		Use: "update <file>", Short: "Fetch a geo file from its source", Args: cobra.ExactArgs(1),
		Example: "panelctl geo update geosite.dat",
		Long: "Has the panel fetch a geo file, check it and roll it out to nodes in rings, by POST " +
			"/api/v1/geo-assets/{id}/update. A file that is refused changes nothing.",
		RunE: onAsset(env, func(ctx context.Context, client *cli.Client, path string, started *UpdateStarted) error {
			distribute := !only
			return client.Post(ctx, path+"/update", Updating{&distribute}, started)
		}, func(started UpdateStarted) error {
			record := startedRecord{Schema: "panelctl.geo-update/v1", UpdateStarted: started}
			return env.List(record, []string{"Operation"}, [][]string{{started.OperationID}})
		}),
	}
	update.Flags().BoolVar(&only, "no-distribute", false, "fetch and check it alone")
	return update
}

// act is a command that posts to an asset and prints what it is then.
func act(env cli.Env, use, does, long, path string) *cobra.Command {
	return &cobra.Command{
		Use: use + " <file>", Short: does, Args: cobra.ExactArgs(1), Example: "panelctl geo " + use + " geosite.dat",
		Long: long,
		RunE: onAsset(env, func(ctx context.Context, client *cli.Client, asset string, a *Asset) error {
			return client.Post(ctx, asset+path, struct{}{}, a)
		}, printAsset(env)),
	}
}

func distributeCommand(env cli.Env) *cobra.Command {
	return act(env, "distribute", "Roll out the version of a geo file that was fetched",
		"Rolls out the version that was fetched and not rolled out yet, in rings, by POST "+
			"/api/v1/geo-assets/{id}/distribute.", "/distribute")
}

func rollbackCommand(env cli.Env) *cobra.Command {
	return act(env, "rollback", "Return to the version of a geo file before",
		"Has all nodes return at once to the version before, by POST /api/v1/geo-assets/{id}/rollback. The schedule does not "+
			"roll out the other one again.", "/rollback")
}

func pinCommand(env cli.Env) *cobra.Command {
	var off bool
	pin := &cobra.Command{
		Use: "pin <file>", Short: "Have the schedule leave a geo file alone", Args: cobra.ExactArgs(1),
		Example: "panelctl geo pin geosite.dat",
		Long: "Has the schedule leave a geo file alone, by PATCH /api/v1/geo-assets/{id}. With --off the schedule fetches it " +
			"again.",
		RunE: onAsset(env, func(ctx context.Context, client *cli.Client, path string, a *Asset) error {
			if err := client.Get(ctx, path, a); err != nil {
				return err
			}
			revision, pinned := a.Revision, !off
			return client.Do(ctx, http.MethodPatch, path, AssetChange{Revision: &revision, Pinned: &pinned}, a)
		}, printAsset(env)),
	}
	pin.Flags().BoolVar(&off, "off", false, "the schedule fetches it again")
	return pin
}

// foundRecord is what lookup prints with --json.
type foundRecord struct {
	Schema string `json:"schema"`
	Found
}

func lookupCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "lookup <domain or address>", Short: "Find the categories that hold a name or an address",
		Args: cobra.ExactArgs(1), Example: "panelctl geo lookup www.example.com",
		Long: "Finds the categories of all geo files that hold a domain or an address, by GET /api/v1/geo-assets/lookup.",
		RunE: command(env, func(ctx context.Context, client *cli.Client, args []string, found *Found) error {
			return client.Get(ctx, apiPath+"/lookup?q="+url.QueryEscape(args[0]), found)
		}, func(found Found) error {
			rows := make([][]string, len(found.Matches))
			for i, m := range found.Matches {
				rows[i] = []string{m.Asset, m.Category, m.RuleKind, m.Rule, strconv.Itoa(m.UsedByCount)}
			}
			heads := []string{"File", "Category", "Kind", "Rule", "Flows"}
			return env.List(foundRecord{Schema: "panelctl.geo-lookup/v1", Found: found}, heads, rows)
		}),
	}
}

func categoriesCommand(env cli.Env) *cobra.Command {
	var part string
	categories := &cobra.Command{
		Use: "categories <file>", Short: "List the categories of a geo file", Args: cobra.ExactArgs(1),
		Example: "panelctl geo categories geosite.dat --query google",
		Long: "Lists the categories of a geo file with how many entries each has and how many flows use it, by GET " +
			"/api/v1/geo-assets/{id}/categories, page by page.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			path, err := pathOf(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			address := path + "/categories"
			if part != "" {
				address += "?q=" + url.QueryEscape(part)
			}
			heads := []string{"Category", "Entries", "Flows"}
			return cli.ListAll(cmd.Context(), env, "panelctl.geo-categories/v1", address, heads, func(c Category) []string {
				return []string{c.Category, strconv.Itoa(c.Entries), strconv.Itoa(c.UsedByCount)}
			})
		},
	}
	categories.Flags().StringVar(&part, "query", "", "a part of the name")
	return categories
}

// changesRecord is what changes prints with --json.
type changesRecord struct {
	Schema string `json:"schema"`
	Changes
}

func changesCommand(env cli.Env) *cobra.Command {
	var from, to string
	changes := &cobra.Command{
		Use: "changes <file>", Short: "Compare two versions of a geo file", Args: cobra.ExactArgs(1),
		Example: "panelctl geo changes geosite.dat",
		Long: "Compares two versions of a geo file, the one that was fetched with the one that nodes hold when none is named, " +
			"by GET /api/v1/geo-assets/{id}/changes.",
		RunE: onAsset(env, func(ctx context.Context, client *cli.Client, path string, c *Changes) error {
			return client.Get(ctx, path+"/changes?"+url.Values{"from": {from}, "to": {to}}.Encode(), c)
		}, func(c Changes) error {
			heads := []string{"Category", "Added", "Removed"}
			return env.List(changesRecord{Schema: "panelctl.geo-changes/v1", Changes: c}, heads, linesOf(c))
		}),
	}
	changes.Flags().StringVar(&from, "from", "", "SHA-256 of the older version")
	changes.Flags().StringVar(&to, "to", "", "SHA-256 of the newer version")
	return changes
}

// linesOf are changes as lines of a table.
func linesOf(c Changes) [][]string {
	rows := [][]string{}
	for _, name := range c.Added {
		rows = append(rows, []string{name, "+", ""})
	}
	for _, name := range c.Removed {
		rows = append(rows, []string{name, "", "-"})
	}
	for _, one := range c.Changed {
		rows = append(rows, []string{one.Category, "+" + strconv.Itoa(one.AddedCount), "-" + strconv.Itoa(one.RemovedCount)})
	}
	return rows
}

// validatedRecord is what validate prints with --json.
type validatedRecord struct {
	Schema string `json:"schema"`
	Validated
}

func validateCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "validate <category>...", Short: "Say which categories flows may use", Args: cobra.MinimumNArgs(1),
		Example: "panelctl geo validate geosite:google geoip:ru custom.dat:ads",
		Long: "Says of categories whether the geo files that nodes shall hold have them, with those that are alike, by POST " +
			"/api/v1/geo-assets/validate.",
		RunE: command(env, func(ctx context.Context, client *cli.Client, args []string, v *Validated) error {
			return client.Post(ctx, apiPath+"/validate", Validation{Tokens: args}, v)
		}, func(v Validated) error {
			rows := make([][]string, len(v.Items))
			for i, one := range v.Items {
				rows[i] = []string{one.Token, dash(one.Code), dash(strings.Join(one.Suggestions, ", "))}
			}
			heads := []string{"Category", "Problem", "Alike"}
			return env.List(validatedRecord{Schema: "panelctl.geo-validation/v1", Validated: v}, heads, rows)
		}),
	}
}
