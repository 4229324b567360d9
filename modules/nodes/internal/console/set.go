package console

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"panel/platform/cli"
)

// change is what a command changes of a node; what is left out stays.
type change struct {
	Revision    int64     `json:"revision"`
	Name        *string   `json:"name,omitempty"`
	CountryCode *string   `json:"country_code,omitempty"`
	Region      *string   `json:"region,omitempty"`
	City        *string   `json:"city,omitempty"`
	Tags        *[]string `json:"tags,omitempty"`
	Note        *string   `json:"note,omitempty"`
	Disabled    *bool     `json:"disabled,omitempty"`
	Traffic     *traffic  `json:"traffic,omitempty"`
}

type traffic struct {
	LimitBytes *uint64 `json:"limit_bytes,omitempty"`
	ResetDay   *int    `json:"reset_day,omitempty"`
	NotifyPct  *int    `json:"notify_pct,omitempty"`
}

// setting is what the flags of set say.
type setting struct {
	name, country, region, city, note, limit string
	tags                                     []string
	disabled                                 bool
	resetDay, notify                         int
}

func setCommand(env cli.Env) *cobra.Command {
	var said setting
	command := &cobra.Command{
		Use: "set <node>", Short: "Change what is written down about a node", Args: cobra.ExactArgs(1),
		Example: "panelctl nodes set fra-01 --traffic-limit 20TB --traffic-reset-day 1\n" +
			"panelctl nodes set fra-01 --tag edge --tag cheap --note \"until spring\"",
		Long: "Changes a node, named by its name or id, by PATCH /api/v1/nodes/{id}. What is left out stays; tags take the place " +
			"of those before. A limit of traffic counts both directions of a month, in bytes or with a unit: 20TB, 500GiB; 0 " +
			"takes it away. Nothing that runs changes: past its limit a node serves on, and people are told.",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := said.change(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return set(cmd.Context(), env, args[0], wanted)
		},
	}
	flags := command.Flags()
	flags.StringVar(&said.name, "name", "", "a new name")
	flags.StringVar(&said.country, "country", "", "country, by its two letters")
	flags.StringVar(&said.region, "region", "", "region")
	flags.StringVar(&said.city, "city", "", "city")
	flags.StringVar(&said.note, "note", "", "note for administrators")
	flags.StringArrayVar(&said.tags, "tag", nil, "tag; may be given several times, an empty one leaves no tags")
	flags.BoolVar(&said.disabled, "disabled", false, "keep the node out of everything new; it serves on")
	flags.StringVar(&said.limit, "traffic-limit", "", "what the hoster allows it to carry in a month")
	flags.IntVar(&said.resetDay, "traffic-reset-day", 1, "day of the month on which the count begins anew")
	flags.IntVar(&said.notify, "traffic-notify", 80, "percent of the limit from which on people are told")
	return command
}

// change gives what the given flags change. Failures: usage.
func (s *setting) change(given func(flag string) bool) (change, error) {
	var to change
	some := false
	pick := func(flag string, put func()) {
		if given(flag) {
			some = true
			put()
		}
	}
	pick("name", func() { to.Name = &s.name })
	pick("country", func() { to.CountryCode = &s.country })
	pick("region", func() { to.Region = &s.region })
	pick("city", func() { to.City = &s.city })
	pick("note", func() { to.Note = &s.note })
	pick("disabled", func() { to.Disabled = &s.disabled })
	pick("tag", func() { to.Tags = filled(s.tags) })
	var limits traffic
	pick("traffic-reset-day", func() { limits.ResetDay = &s.resetDay })
	pick("traffic-notify", func() { limits.NotifyPct = &s.notify })
	if given("traffic-limit") {
		bytes, err := humanize.ParseBytes(s.limit)
		if err != nil {
			return to, cli.Usage(cli.Say("%s is no size; give bytes, or a unit as in 20TB or 500GiB", s.limit))
		}
		some, limits.LimitBytes = true, &bytes
	}
	if limits != (traffic{}) {
		to.Traffic = &limits
	}
	if !some {
		return to, cli.Usage(cli.Say("say what changes, such as --traffic-limit, --tag or --note"))
	}
	return to, nil
}

// filled leaves empty texts out.
func filled(texts []string) *[]string {
	out := []string{}
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return &out
}

func set(ctx context.Context, env cli.Env, named string, wanted change) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	before, err := nodeNamed(ctx, client, named)
	if err != nil {
		return err
	}
	wanted.Revision = before.Revision
	err = client.Do(ctx, http.MethodPatch, path+"/"+url.PathEscape(before.ID), wanted, nil)
	return shownAfter(ctx, env, client, "panelctl.nodes.set/v1", before.ID, err)
}

// shownAfter shows a node as it is after it was changed.
func shownAfter(ctx context.Context, env cli.Env, client *cli.Client, schema, id string, changing error) error {
	if changing != nil {
		return changing
	}
	after, err := nodeNamed(ctx, client, id)
	if err != nil {
		return err
	}
	return show(env, schema, after)
}

func maintenanceCommand(env cli.Env) *cobra.Command {
	var period, reason string
	command := &cobra.Command{
		Use: "maintenance <node> <on|off>", Short: "Begin or end the maintenance of a node", Args: cobra.ExactArgs(2),
		Example: "panelctl nodes maintenance fra-01 on --for 2h --reason \"the provider swaps the disk\"\n" +
			"panelctl nodes maintenance fra-01 off",
		Long: "Begins or ends the maintenance of a node, named by its name or id, by POST /api/v1/nodes/{id}/maintenance. The node " +
			"serves on; nothing new is put on it, pools give it no new connections, and its outages alarm nobody. With --for it " +
			"ends by itself.",
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted := struct {
				On     bool       `json:"on"`
				Until  *time.Time `json:"until,omitempty"`
				Reason string     `json:"reason,omitempty"`
			}{On: args[1] == "on", Reason: reason}
			if !wanted.On && args[1] != "off" {
				return cli.Usage(cli.Say("say on or off"))
			}
			length, err := cli.Period(period)
			if err != nil {
				return cli.Usage(cli.Say("--for takes a period such as 30m, 1h or 2d"))
			}
			if length > 0 {
				until := time.Now().Add(length).UTC() //nolint:forbidigo // "2h" is said by a person, from now on
				wanted.Until = &until
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			found, err := nodeNamed(cmd.Context(), client, args[0])
			if err != nil {
				return err
			}
			if going := found.Maintenance; wanted.On && going != nil { // what is not said stays as somebody has set it
				wanted.Reason = cmp.Or(wanted.Reason, going.Reason)
				wanted.Until = cmp.Or(wanted.Until, going.Until)
			}
			to := path + "/" + url.PathEscape(found.ID) + "/maintenance"
			err = client.Do(cmd.Context(), http.MethodPost, to, wanted, nil)
			return shownAfter(cmd.Context(), env, client, "panelctl.nodes.maintenance/v1", found.ID, err)
		},
	}
	command.Flags().StringVar(&period, "for", "", "for how long: 30m, 1h or 2d; else until it is ended")
	command.Flags().StringVar(&reason, "reason", "", "why, for other administrators")
	return command
}
