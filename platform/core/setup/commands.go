package setup

import (
	"context"
	"net"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"panel/platform/cli"
	"panel/platform/cli/envfile"
	"panel/platform/config"
)

func commands(env cli.Env) []*cobra.Command {
	group := &cobra.Command{Use: "setup", Short: "The first installation"}
	group.AddCommand(&cobra.Command{
		Use: "link", Short: "Show the one-time link to the first administrator", Args: cobra.NoArgs,
		Long: "Prints the address at which the first administrator is created. It carries PANEL_SETUP_TOKEN behind the #, where browsers send it nowhere. " +
			"Once an administrator exists the link is spent and the exit code is 1. It needs to read the settings of the panel.",
		Example: "sudo panelctl setup link",
		RunE:    func(cmd *cobra.Command, _ []string) error { return link(cmd.Context(), env) },
	})
	return []*cobra.Command{group}
}

type linkDocument struct {
	Schema string `json:"schema"`
	Link   string `json:"link"`
}

func link(ctx context.Context, env cli.Env) error {
	cfg, err := settings(env)
	if err != nil {
		return err
	}
	if spent(ctx, env) {
		return cli.Failed(cli.Say("the set-up link is spent: there is an administrator")).
			Advise(cli.Plain("panelctl admin reset-password"))
	}
	address := linkOf(cfg)
	if !cfg.Given(config.SetupToken) {
		env.Warn(cli.Say("%s is not set: whoever reaches the panel first becomes the administrator",
			config.SetupToken.Name))
	}
	return env.Record(linkDocument{Schema: "panelctl.setup/v1", Link: address}, cli.Field{
		Key: "link", Label: "Link",
		Value: address,
	})
}

// settings are the environment's, and below them those of the first file in the order of the specification.
func settings(env cli.Env) (*config.Config, error) {
	values := map[string]string{}
	if env.Getenv(config.SetupToken.Name) == "" {
		if file := envfile.Find(envfile.Places(env.Getenv("HOME")), config.SetupToken.Name); file != nil {
			if file.Err != nil {
				return nil, cli.NotAllowed(cli.Say("the settings in %s cannot be read", file.Path)).
					Because(cli.English(file.Err.Error())).
					Advise(cli.Plain("sudo panelctl setup link"))
			}
			values = file.Values
		}
	}
	for _, key := range config.Platform() {
		if value := env.Getenv(key.Name); value != "" {
			values[key.Name] = value
		}
	}
	cfg, err := config.Of(values)
	if err != nil {
		return nil, cli.Failed(cli.Say("the configuration cannot be used")).Because(cli.English(err.Error()))
	}
	return cfg, nil
}

// spent asks the panel; one that does not answer has not said so.
func spent(ctx context.Context, env cli.Env) bool {
	client, err := env.Client()
	if err != nil {
		return false
	}
	var state struct {
		Administrator bool `json:"administrator"`
	}
	return client.Get(ctx, "/api/v1/setup/state", &state) == nil && state.Administrator
}

func linkOf(cfg *config.Config) string {
	base := strings.TrimRight(cfg.String(config.PublicURL), "/")
	if base == "" {
		host := cfg.String(config.Bind)
		if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
			host = "127.0.0.1"
		}
		base = "http://" + net.JoinHostPort(host, cfg.String(config.Port))
	}
	if token := cfg.Secret(config.SetupToken).Reveal(); token != "" {
		return base + "/setup#token=" + url.QueryEscape(token)
	}
	return base + "/setup"
}
