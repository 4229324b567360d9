package statuspage

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const apiPath = "/api/v1/statuspage"

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "statuspage", Short: "Status pages for users"}
	group.AddCommand(
		listCommand(env), targetsCommand(env), deployCommand(env), deploysCommand(env), incidentsCommand(env),
		postCommand(env), updateCommand(env), publishCommand(env),
	)
	return []*cobra.Command{group}
}

func moment(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

type pagesRecord struct {
	Schema string `json:"schema"`
	Pages
}

func listCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the status pages", Args: cobra.NoArgs, Example: "panelctl statuspage list --json",
		Long: "Lists the status pages with what readers see and since when, by GET /api/v1/statuspage/pages.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var pages Pages
			if err := client.Get(cmd.Context(), apiPath+"/pages", &pages); err != nil {
				return err
			}
			rows := make([][]string, len(pages.Items))
			for i := range pages.Items {
				p := &pages.Items[i]
				rows[i] = []string{
					p.Slug, strconv.FormatInt(p.Revision, 10), strconv.FormatInt(p.PublishedRevision, 10),
					moment(p.DataAt), dash(p.Address),
				}
			}
			return env.List(pagesRecord{"panelctl.statuspage-pages/v1", pages},
				[]string{"Name", "Revision", "Published", "Data as of", "Address"}, rows)
		},
	}
}

// pageNamed finds a page by its name or id.
func pageNamed(ctx context.Context, env cli.Env, name string) (*cli.Client, Page, error) {
	client, err := env.Client()
	if err != nil {
		return client, Page{}, err
	}
	var pages Pages
	if err := client.Get(ctx, apiPath+"/pages", &pages); err != nil {
		return client, Page{}, err
	}
	for _, page := range pages.Items {
		if page.Slug == name || page.ID == name {
			return client, page, nil
		}
	}
	return client, Page{}, cli.Failed(cli.Say("there is no status page with the name %s", name))
}

type targetsRecord struct {
	Schema string `json:"schema"`
	Targets
}

func targetsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "targets <page>", Short: "List where a status page is kept", Args: cobra.ExactArgs(1),
		Example: "panelctl statuspage targets service",
		Long: "Lists the places of a status page with what became of the last deploy, by GET " +
			"/api/v1/statuspage/pages/{id}/targets.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, page, err := pageNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			var targets Targets
			if err := client.Get(cmd.Context(), apiPath+"/pages/"+url.PathEscape(page.ID)+"/targets", &targets); err != nil {
				return err
			}
			rows := make([][]string, len(targets.Items))
			for i := range targets.Items {
				t := &targets.Items[i]
				rows[i] = []string{t.Label, t.Kind, t.State, moment(t.DataAt), dash(t.Address), dash(t.Error)}
			}
			return env.List(targetsRecord{"panelctl.statuspage-targets/v1", targets},
				[]string{"Served at", "Kind", "State", "Data as of", "Address", "Error"}, rows)
		},
	}
}

type deployRecord struct {
	Schema string `json:"schema"`
	Deploy
}

var deployHeads = []string{"Deploy", "Revision", "State", "Started", "By"}

func deployLine(d Deploy) []string {
	return []string{d.ID, strconv.FormatInt(d.Revision, 10), d.State, moment(&d.StartedAt), dash(d.StartedBy)}
}

func deployCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "deploy <page>", Short: "Deploy a status page", Args: cobra.ExactArgs(1),
		Example: "panelctl statuspage deploy service",
		Long: "Has the panel write the draft of a status page as files, bring them to all places that are enabled, fetch them " +
			"back and compare, by POST /api/v1/statuspage/pages/{id}/deploy. What fails leaves the old page where it is.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, page, err := pageNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			var started Deploy
			path := apiPath + "/pages/" + url.PathEscape(page.ID) + "/deploy"
			if err := client.Post(cmd.Context(), path, NewDeploy{Revision: page.Revision}, &started); err != nil {
				return err
			}
			return env.List(deployRecord{"panelctl.statuspage-deploy/v1", started}, deployHeads, [][]string{deployLine(started)})
		},
	}
}

func deploysCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "deploys <page>", Short: "List the deploys of a status page", Args: cobra.ExactArgs(1),
		Example: "panelctl statuspage deploys service",
		Long:    "Lists the deploys of a status page, newest first, by GET /api/v1/statuspage/pages/{id}/deploys, page by page.",
		RunE: func(cmd *cobra.Command, args []string) error {
			_, page, err := pageNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			path := apiPath + "/pages/" + url.PathEscape(page.ID) + "/deploys"
			return cli.ListAll(cmd.Context(), env, "panelctl.statuspage-deploys/v1", path, deployHeads, deployLine)
		},
	}
}

var noticeHeads = []string{"Incident", "Title", "Impact", "State", "Visible", "Started"}

func noticeLine(n Notice) []string {
	title := n.Titles["en"]
	if title == "" {
		title = n.Titles["ru"]
	}
	return []string{n.ID, title, n.Impact, n.State, strconv.FormatBool(n.Published), moment(&n.StartedAt)}
}

type noticeRecord struct {
	Schema string `json:"schema"`
	Notice
}

func printNotice(env cli.Env, n Notice) error {
	return env.List(noticeRecord{"panelctl.statuspage-incident/v1", n}, noticeHeads, [][]string{noticeLine(n)})
}

func incidentsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "incidents", Short: "List the incidents of status pages", Args: cobra.NoArgs,
		Example: "panelctl statuspage incidents",
		Long: "Lists what readers of status pages were told of incidents, and drafts that wait, by GET " +
			"/api/v1/statuspage/incidents, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, "panelctl.statuspage-incidents/v1", apiPath+"/incidents", noticeHeads, noticeLine)
		},
	}
}

// spoken are the texts of a command in the languages of a page.
type spoken struct{ english, russian string }

func (s *spoken) text() Localised {
	out := Localised{}
	if s.english != "" {
		out["en"] = s.english
	}
	if s.russian != "" {
		out["ru"] = s.russian
	}
	return out
}

func postCommand(env cli.Env) *cobra.Command {
	var title, text spoken
	var impact, state string
	var draft bool
	command := &cobra.Command{
		Use: "post <page>", Short: "Tell readers of a status page of an incident", Args: cobra.ExactArgs(1),
		Example: `panelctl statuspage post service --title "Slow connections" --text "We are looking into it." --impact minor`,
		Long: "Writes an incident on a status page, by POST /api/v1/statuspage/incidents. Readers see it within seconds, " +
			"unless --draft is given.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, page, err := pageNamed(cmd.Context(), env, args[0])
			if err != nil {
				return err
			}
			in := NewNotice{
				PageID: page.ID, Titles: title.text(), Bodies: text.text(), Impact: impact, State: state,
				ComponentIDs: []string{}, Published: !draft,
			}
			var made Notice
			if err := client.Post(cmd.Context(), apiPath+"/incidents", in, &made); err != nil {
				return err
			}
			return printNotice(env, made)
		},
	}
	flags := command.Flags()
	flags.StringVar(&title.english, "title", "", "title in English")
	flags.StringVar(&title.russian, "title-ru", "", "title in Russian")
	flags.StringVar(&text.english, "text", "", "what is known, in English; Markdown")
	flags.StringVar(&text.russian, "text-ru", "", "what is known, in Russian; Markdown")
	flags.StringVar(&impact, "impact", "minor", "none, minor, major or critical")
	flags.StringVar(&state, "state", stateInvestigating, "investigating, identified, monitoring or resolved")
	flags.BoolVar(&draft, "draft", false, "readers do not see it yet")
	return command
}

func updateCommand(env cli.Env) *cobra.Command {
	var text spoken
	var state string
	command := &cobra.Command{
		Use: "update <incident>", Short: "Say what is known now of an incident", Args: cobra.ExactArgs(1),
		Example: `panelctl statuspage update 0199a0de-0000-7000-8000-000000000009 --state resolved --text "It works again."`,
		Long:    "Adds an update to an incident of a status page, by POST /api/v1/statuspage/incidents/{id}/updates.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var now Notice
			path := apiPath + "/incidents/" + url.PathEscape(args[0]) + "/updates"
			if err := client.Post(cmd.Context(), path, NewUpdate{State: state, Bodies: text.text()}, &now); err != nil {
				return err
			}
			return printNotice(env, now)
		},
	}
	flags := command.Flags()
	flags.StringVar(&text.english, "text", "", "what is known, in English; Markdown")
	flags.StringVar(&text.russian, "text-ru", "", "what is known, in Russian; Markdown")
	flags.StringVar(&state, "state", stateMonitoring, "investigating, identified, monitoring or resolved")
	return command
}

func publishCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "publish <incident>", Short: "Let readers see the draft of an incident", Args: cobra.ExactArgs(1),
		Example: "panelctl statuspage publish 0199a0de-0000-7000-8000-000000000009",
		Long:    "Lets readers see the draft of an incident, by POST /api/v1/statuspage/incidents/{id}/publish.",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			var now Notice
			path := apiPath + "/incidents/" + url.PathEscape(args[0]) + "/publish"
			if err := client.Post(cmd.Context(), path, struct{}{}, &now); err != nil {
				return err
			}
			return printNotice(env, now)
		},
	}
}
