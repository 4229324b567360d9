package console

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/health/internal/external"
	"panel/platform/cli"
)

// document is the settings of external checks as the API gives them.
type document struct {
	Schema   string                 `json:"schema"`
	Revision int64                  `json:"revision"`
	Settings external.ShownSettings `json:"settings"`
}

// changed are the settings as they are sent: a key that is left out stays.
type changed struct {
	external.ShownSettings
	HasAPIKey *bool   `json:"has_api_key,omitempty"`
	APIKey    *string `json:"api_key,omitempty"`
}

var settingFlags = []string{"daily-cap", "monthly-cap", "min-interval", "address", "key-file"}

func settingsCommand(env cli.Env) *cobra.Command {
	var daily, monthly float64
	var interval int
	var address, keyFile string
	command := &cobra.Command{
		Use: "settings", Short: "Show or change what external checks may cost", Args: cobra.NoArgs,
		Example: "panelctl health checks settings\npanelctl health checks settings --daily-cap 100 --monthly-cap 1000\n" +
			"panelctl health checks settings --key-file -",
		Long: "Shows the settings of external checks by GET /api/v1/health/bscheck/settings, and with flags changes them by " +
			"PUT. Money is in roubles. The key is read from a file, - for the standard input, and is never shown.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := env.Client()
			if err != nil {
				return err
			}
			shown := document{Schema: "panelctl.health.checks.settings/v1"}
			if err := client.Get(cmd.Context(), externalPath+"/settings", &shown); err != nil {
				return err
			}
			next, set := changed{ShownSettings: shown.Settings}, cmd.Flags().Changed
			if set("daily-cap") {
				next.DailyCap = kopeks(daily)
			}
			if set("monthly-cap") {
				next.MonthlyCap = kopeks(monthly)
			}
			if set("min-interval") {
				next.MinIntervalMins = interval
			}
			if set("address") {
				next.Address = address
			}
			if set("key-file") {
				if next.APIKey, err = keyFrom(env, keyFile); err != nil {
					return err
				}
			}
			if slices.ContainsFunc(settingFlags, set) {
				if err := put(cmd.Context(), client, &shown, next); err != nil {
					return err
				}
			}
			return env.Record(shown, settingsFields(shown.Settings)...)
		},
	}
	flags := command.Flags()
	flags.Float64Var(&daily, "daily-cap", 0, "roubles that may be spent in a day")
	flags.Float64Var(&monthly, "monthly-cap", 0, "roubles that may be spent in a month")
	flags.IntVar(&interval, "min-interval", 0, "minutes between two paid checks of the same address")
	flags.StringVar(&address, "address", "", "address of the service's API")
	flags.StringVar(&keyFile, "key-file", "", "file with the key of the service, - for the standard input")
	return command
}

const hundred = 100

func kopeks(roubles float64) int64 { return int64(roubles*hundred + 0.5) } //nolint:mnd // rounds to a kopek

const longestKey = 200

func keyFrom(env cli.Env, name string) (*string, error) {
	text, err := env.Input(name, longestKey+1)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(string(text))
	return &key, nil
}

func put(ctx context.Context, client *cli.Client, shown *document, next changed) error {
	body := struct {
		Revision int64   `json:"revision"`
		Settings changed `json:"settings"`
	}{shown.Revision, next}
	return client.Do(ctx, http.MethodPut, externalPath+"/settings", body, shown)
}

func settingsFields(s external.ShownSettings) []cli.Field {
	return []cli.Field{
		{Key: "has_api_key", Label: "Has a key", Value: strconv.FormatBool(s.HasAPIKey)},
		{Key: "address", Label: "Address", Value: s.Address},
		{Key: "daily_cap", Label: "Cap of a day", Value: roubles(s.DailyCap)},
		{Key: "monthly_cap", Label: "Cap of a month", Value: roubles(s.MonthlyCap)},
		{Key: "min_interval_minutes", Label: "Shortest interval, min", Value: strconv.Itoa(s.MinIntervalMins)},
		{Key: "low_balance", Label: "Low balance", Value: roubles(s.LowBalance)},
		{Key: "drop_percent", Label: "Drop that is told, %", Value: strconv.Itoa(s.DropPercent)},
	}
}
