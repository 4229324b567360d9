package policies

import (
	"context"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

func saveCatalogueCommand(env cli.Env) *cobra.Command {
	var note string
	command := &cobra.Command{
		Use: "save-catalogue <file>", Short: "Save the policy catalogue from a file", Args: cobra.ExactArgs(1),
		Example: `panelctl policies save-catalogue catalogue.json --note "more trackers"`,
		Long: "Makes the content of a JSON file, or of standard input for -, the newest version of the policy catalogue, by PUT " +
			`/api/v1/policy-catalogue: {"sets":[{"name":"ads","geosite":["category-ads"]}],"presets":[],"geo_tokens":[]}. What the ` +
			"file leaves out is empty. No flow changes; policies outdated lists those that run something else.",
		RunE: func(cmd *cobra.Command, args []string) error {
			var content Content
			if err := fromFile(env, args[0], &content); err != nil {
				return err
			}
			return saveCatalogue(cmd.Context(), env, note, func(Content) (Content, error) { return content, nil })
		},
	}
	command.Flags().StringVar(&note, "note", "", "why, for those who read the versions")
	return command
}

func putSetCommand(env cli.Env) *cobra.Command {
	var set Set
	var note string
	command := &cobra.Command{
		Use: "put-set <set>", Short: "Add a set to the policy catalogue, or replace one", Args: cobra.ExactArgs(1),
		Example: "panelctl policies put-set ads --geosite category-ads --domain ads.example",
		Long: "Makes a new version of the policy catalogue in which the set holds what the flags name, and all else is as before, " +
			"by PUT /api/v1/policy-catalogue. No flow changes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			set.Name = args[0]
			return saveCatalogue(cmd.Context(), env, note, func(c Content) (Content, error) {
				at := slices.IndexFunc(c.Sets, func(one Set) bool { return one.Name == set.Name })
				if at < 0 {
					c.Sets = append(c.Sets, set)
				} else {
					c.Sets[at] = set
				}
				return c, nil
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&set.Description, "description", "", "what the set is for")
	flags.StringSliceVar(&set.Domain, "domain", nil, "domains")
	flags.StringSliceVar(&set.Geosite, "geosite", nil, "categories of domains")
	flags.StringSliceVar(&set.GeoIP, "geoip", nil, "categories of addresses")
	flags.StringSliceVar(&set.IP, "ip", nil, "addresses and networks")
	flags.StringVar(&note, "note", "", "why, for those who read the versions")
	return command
}

func removeSetCommand(env cli.Env) *cobra.Command {
	var note string
	command := &cobra.Command{
		Use: "remove-set <set>", Short: "Take a set out of the policy catalogue", Args: cobra.ExactArgs(1),
		Example: "panelctl policies remove-set ads",
		Long: "Makes a new version of the policy catalogue without the set, by PUT /api/v1/policy-catalogue. Flows that were " +
			"compiled with it go on; a drawing that names it is refused when it is compiled next.",
		RunE: func(cmd *cobra.Command, args []string) error {
			return saveCatalogue(cmd.Context(), env, note, func(c Content) (Content, error) {
				at := slices.IndexFunc(c.Sets, func(one Set) bool { return one.Name == args[0] })
				if at < 0 {
					return c, cli.Failed(cli.Say("the catalogue has no set with the name %s", args[0]))
				}
				c.Sets = slices.Delete(c.Sets, at, at+1)
				return c, nil
			})
		},
	}
	command.Flags().StringVar(&note, "note", "", "why, for those who read the versions")
	return command
}

// saveCatalogue makes a new version from the newest one; whoever saved in between is told by a conflict.
func saveCatalogue(ctx context.Context, env cli.Env, note string, edit func(Content) (Content, error)) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var before, after Catalogue
	if err := client.Get(ctx, cataloguePath, &before); err != nil {
		return err
	}
	revision := int64(before.Version)
	content, err := edit(before.Content)
	if err != nil {
		return err
	}
	content.Sets, content.Presets = copied(content.Sets), copied(content.Presets)
	content.GeoTokens = copied(content.GeoTokens)
	wanted := NewCatalogue{Revision: &revision, Note: note, Content: content}
	if err := client.Do(ctx, http.MethodPut, cataloguePath, wanted, &after); err != nil {
		return err
	}
	return printCatalogue(env, after)
}
