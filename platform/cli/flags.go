package cli

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"
)

const defaultAPI = "http://localhost:8080"

// flags are the common flags of the commands that ask the panel.
type flags struct {
	api, token         string
	json, table, plain bool
	verbose, debug     bool
	yes                bool
}

func (f *flags) bind(root *cobra.Command) {
	set := root.PersistentFlags()
	set.StringVar(&f.api, "api", "", "base URL of the panel API (PANEL_API_URL, default "+defaultAPI+")")
	set.StringVar(&f.token, "token", "", "session token for API calls (PANEL_API_TOKEN)")
	set.BoolVar(&f.json, "json", false, "print JSON")
	set.BoolVar(&f.table, "table", false, "print a table for people")
	set.BoolVar(&f.plain, "plain", false, "print tab-separated text for scripts")
	set.BoolVar(&f.verbose, "verbose", false, "say what is being done")
	set.BoolVar(&f.debug, "debug", false, "show the requests, secrets masked")
	set.BoolVar(&f.yes, "yes", false, "answer every confirmation with yes")
	set.BoolP("help", "h", false, "show help")
}

// check refuses two output forms at once and notes a secret on the command line.
func (f *flags) check(env *Env) error {
	if count(f.json, f.table, f.plain) > 1 {
		return Usage(Say("choose one of --json, --table and --plain")).Advise(Plain("panelctl help"))
	}
	if f.token != "" {
		env.Note(Say("a token on the command line is visible to other users; PANEL_API_TOKEN is safer"))
	}
	return nil
}

func count(flags ...bool) int {
	n := 0
	for _, set := range flags {
		if set {
			n++
		}
	}
	return n
}

// Yes tells whether dangerous commands go on without a question.
func (env Env) Yes() bool { return env.flags.yes }

func (env Env) apiURL() (string, error) {
	address := firstOf(env.flags.api, env.Getenv("PANEL_API_URL"), defaultAPI)
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") || parsed.User != nil {
		return "", Usage(Say("the address of the panel must look like %s", defaultAPI)).
			Advise(Plain("--api"), Plain("PANEL_API_URL"))
	}
	return strings.TrimRight(parsed.Scheme+"://"+parsed.Host+parsed.Path, "/"), nil
}

// apiToken is that of --token, else of PANEL_API_TOKEN, else of the session that is stored for the panel.
func (env Env) apiToken(address string) string {
	if token := firstOf(env.flags.token, env.Getenv("PANEL_API_TOKEN")); token != "" {
		return token
	}
	if stored := env.Stored(address); stored != nil {
		return stored.Token
	}
	return ""
}

func firstOf(values ...string) string {
	for _, value := range values {
		if value != "" {
			return value
		}
	}
	return ""
}
