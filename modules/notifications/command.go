package notifications

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
)

const base = "/api/v1/notifications"

// schemaOf names the form of what a command prints with --json.
func schemaOf(what string) string { return "panelctl.notifications." + what + "/v1" }

// commands are what this module adds to panelctl. Their Russian stands in russian.txt.
func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "notifications", Short: "Channels, rules and deliveries of notifications"}
	group.AddCommand(channelsCommand(env), rulesCommand(env), deliveriesCommand(env), testCommand(env))
	return []*cobra.Command{group}
}

func channelsCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "channels", Short: "List the channels beside the messenger", Args: cobra.NoArgs,
		Example: "panelctl notifications channels --json",
		Long:    "Lists the channels by their names. It asks GET /api/v1/notifications/channels, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, schemaOf("channels"), base+"/channels", []string{"Name", "Kind", "Enabled", "ID"},
				func(c Channel) []string { return []string{c.Name, c.Kind, strconv.FormatBool(c.Enabled), c.ID} })
		},
	}
}

func rulesCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "rules", Short: "List the rules that say what goes where", Args: cobra.NoArgs,
		Example: "panelctl notifications rules --json",
		Long:    "Lists the rules by their names. It asks GET /api/v1/notifications/rules, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cli.ListAll(cmd.Context(), env, schemaOf("rules"), base+"/rules", []string{"Name", "Event", "Severity", "Channels"},
				func(r Rule) []string {
					return []string{r.Name, r.Event, r.MinSeverity, cli.OrDash(strings.Join(r.Channels, ", "))}
				})
		},
	}
}

func deliveriesCommand(env cli.Env) *cobra.Command {
	var state string
	command := &cobra.Command{
		Use: "deliveries", Short: "List deliveries, the newest first", Args: cobra.NoArgs,
		Example: "panelctl notifications deliveries --state failed",
		Long:    "Lists deliveries, the newest first. It asks GET /api/v1/notifications/deliveries, page by page.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			path := base + "/deliveries"
			if state != "" {
				path += "?state=" + url.QueryEscape(state)
			}
			return cli.ListAll(cmd.Context(), env, schemaOf("deliveries"), path,
				[]string{"Created", "Channel", "Event", "Subject", "State", "Reason"},
				func(d Delivery) []string {
					return []string{
						cli.Stamp(&d.CreatedAt), d.ChannelName, d.Kind, cli.OrDash(d.SubjectName), d.State,
						cli.OrDash(d.Reason.in(env.Russian())),
					}
				})
		},
	}
	command.Flags().StringVar(&state, "state", "", "show only deliveries in this state, such as failed or queued")
	return command
}

func testCommand(env cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "test [channel-id]", Short: "Send a test", Args: cobra.MaximumNArgs(1),
		Example: "panelctl notifications test",
		Long: "Sends a test to the messenger by POST /api/v1/notifications/messenger/test and says how it went. With the id " +
			"of a channel it queues a test by POST /api/v1/notifications/channels/{id}/test; how that went stands in the " +
			"deliveries.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return testMessengerCommand(cmd.Context(), env)
			}
			return testChannelCommand(cmd.Context(), env, args[0])
		},
	}
}

func testMessengerCommand(ctx context.Context, env cli.Env) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var sent MessengerTest
	if err := client.Do(ctx, http.MethodPost, base+"/messenger/test", nil, &sent); err != nil {
		return err
	}
	return cli.PrintAll(env, schemaOf("messenger-test"), []MessengerTest{sent}, []string{"Channel", "State"},
		func(MessengerTest) []string { return []string{kindMessenger, stateSent} })
}

func testChannelCommand(ctx context.Context, env cli.Env, id string) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	var queued Delivery
	if err := client.Do(ctx, http.MethodPost, base+"/channels/"+url.PathEscape(id)+"/test", nil, &queued); err != nil {
		return err
	}
	return cli.PrintAll(env, schemaOf("channel-test"), []Delivery{queued}, []string{"Channel", "State"},
		func(d Delivery) []string { return []string{d.ChannelName, d.State} })
}
