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
			return list(cmd.Context(), env, "channels", base+"/channels", []string{"Name", "Kind", "Enabled", "ID"},
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
			return list(cmd.Context(), env, "rules", base+"/rules", []string{"Name", "Event", "Severity", "Channels"},
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
			return list(cmd.Context(), env, "deliveries", path,
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

// listing is what a list prints with --json.
type listing[T any] struct {
	Schema string `json:"schema"`
	Items  []T    `json:"items"`
}

func list[T any](
	ctx context.Context, env cli.Env, what, path string, heads []string, cells func(T) []string,
) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	found, err := cli.All[T](ctx, client, path)
	if err != nil {
		return err
	}
	rows := make([][]string, len(found))
	for i, one := range found {
		rows[i] = cells(one)
	}
	return env.List(listing[T]{Schema: "panelctl.notifications." + what + "/v1", Items: found}, heads, rows)
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
	return env.List(listing[MessengerTest]{Schema: "panelctl.notifications.messenger-test/v1", Items: []MessengerTest{sent}},
		[]string{"Channel", "State"}, [][]string{{kindMessenger, stateSent}})
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
	return env.List(listing[Delivery]{Schema: "panelctl.notifications.channel-test/v1", Items: []Delivery{queued}},
		[]string{"Channel", "State"}, [][]string{{queued.ChannelName, queued.State}})
}
