package console

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"panel/modules/flows/internal/explain"
	"panel/platform/cli"
)

// explained is the answer of both requests.
type explained struct {
	Schema string `json:"schema"`
	explain.Explanation
	Through *explain.ProbeThrough `json:"through,omitempty"`
	Exit    *explain.ProbeExit    `json:"exit,omitempty"`
}

func explainCommand(env cli.Env) *cobra.Command {
	var draft, probe bool
	var entry, protocol string
	command := &cobra.Command{
		Use: "explain <flow> <destination>", Short: "Show which way traffic takes through a flow", Args: cobra.ExactArgs(2),
		Example: `panelctl flows explain "Europe main" youtube.com:443 --probe`,
		Long: "Follows a destination, a domain or address with or without a port, through what is installed: which rule takes " +
			"it, which member of a pool carries it, what was seen of the members last and why traffic was switched. It asks GET " +
			"/api/v1/connection-units/{id}/explain; with --probe agents try the way, by POST …/explain/probe.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if draft && probe {
				return cli.Usage(cli.Say("only what is installed can be probed: leave out --draft or --probe"))
			}
			client, err := env.Client()
			if err != nil {
				return err
			}
			id, err := cli.IDOf(cmd.Context(), client, path, args[0],
				func(f listed) (string, string) { return f.ID, f.Name }, cli.Say("there is no flow with the name %s", args[0]))
			if err != nil {
				return err
			}
			asked := destination(args[1], entry, protocol)
			at := path + "/" + url.PathEscape(id) + "/explain"
			out := explained{Schema: "panelctl.flows.explain/v1"}
			if probe {
				var answer explain.ProbeAnswer
				if err := client.Post(cmd.Context(), at+"/probe", bodyOf(asked), &answer); err != nil {
					return err
				}
				out.Explanation, out.Through, out.Exit = answer.Explanation, &answer.Through, answer.Exit
				return printWay(env, out)
			}
			if !draft {
				asked.Set("of", explain.Installed)
			}
			if err := client.Get(cmd.Context(), at+"?"+asked.Encode(), &out.Explanation); err != nil {
				return err
			}
			return printWay(env, out)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&draft, "draft", false, "follow the draft instead of what is installed")
	flags.BoolVar(&probe, "probe", false, "let agents try the way")
	flags.StringVar(&entry, "entry", "", "block that the traffic comes in at; the first entry when left out")
	flags.StringVar(&protocol, "protocol", "", "what is spoken: http, tls, quic or bittorrent")
	return command
}

// destination reads "example.org:443", "192.0.2.1", "[2001:db8::1]:53" or ":25".
func destination(text, entry, protocol string) url.Values {
	out := url.Values{}
	host := text
	if at, err := netip.ParseAddrPort(text); err == nil {
		host = at.Addr().String()
		out.Set("port", strconv.Itoa(int(at.Port())))
	} else if before, port, found := strings.Cut(text, ":"); found && !strings.Contains(port, ":") {
		host = before
		out.Set("port", port)
	}
	kind := "domain"
	if _, err := netip.ParseAddr(host); err == nil {
		kind = "ip"
	}
	for name, value := range map[string]string{kind: host, "entry": entry, "protocol": protocol} {
		if value != "" {
			out.Set(name, value)
		}
	}
	return out
}

// bodyOf is a query as a body.
func bodyOf(query url.Values) map[string]any {
	out := map[string]any{}
	for name := range query {
		out[name] = query.Get(name)
		if port, err := strconv.Atoi(query.Get(name)); name == "port" && err == nil {
			out[name] = port
		}
	}
	return out
}

var wayHeads = []string{"What", "From", "To", "Result", "Details"}

func printWay(env cli.Env, e explained) error {
	var rows [][]string
	add := func(what, from, to, result, details string) {
		rows = append(rows, []string{
			word(env, what), cli.OrDash(from), cli.OrDash(to), word(env, result), cli.OrDash(details),
		})
	}
	if by := e.ServedBy; by != nil {
		add("entry", orElse(by.Connection, by.ConnectionID), by.NodeName, "proxy_panel", "")
	}
	for _, step := range e.Steps {
		add("rule", step.From, step.To, step.Result, step.Reason)
	}
	for _, pool := range e.Pools {
		for _, c := range pool.Choices {
			add("choice", c.NodeName, orElse(c.ActiveName, pool.Name), c.Serves, c.Reason+" "+cli.Stamp(&c.At))
		}
		for _, m := range pool.Members {
			for _, seen := range m.Seen {
				add("member", seen.NodeName, m.NodeName, seen.State, evidence(seen))
			}
		}
	}
	add("end", "", e.NodeName, e.Result, "")
	if t := e.Through; t != nil {
		add("client", t.NodeName, t.ExitIP, met(t.OK, t.Code), tried(t.OK, t.Millis, t.Error))
	}
	if x := e.Exit; x != nil {
		result := met(x.OK, x.Code)
		if x.Inside {
			result = "inside"
		}
		add("dial", x.NodeName, x.Dialled, result, tried(x.OK, x.Millis, x.Error))
	}
	return env.List(e, wayHeads, rows)
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

func evidence(seen explain.ExplainSighting) string {
	parts := []string{seen.Reason}
	if seen.RTTMs > 0 {
		parts = append(parts, strconv.FormatInt(seen.RTTMs, 10)+" ms")
	}
	if seen.Error != "" {
		parts = append(parts, seen.Error)
	}
	return strings.Join(append(parts, cli.Stamp(&seen.At)), " ")
}

func met(ok bool, code string) string {
	if ok {
		return "reached"
	}
	return code
}

func tried(ok bool, ms float64, text string) string {
	if ok {
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	}
	return text
}

// spoken are the words that a table says in the language of its reader.
var spoken = map[string]bool{
	"rule": true, "choice": true, "member": true, "end": true, "client": true, "dial": true,
	"taken": true, "passed_over": true, "no_data": true, "members": true, "override": true, "fallback": true,
	"unknown": true, "healthy": true, "degraded": true, "down": true,
	"entry": true, "proxy_panel": true,
	"exit": true, "direct": true, "block": true, "reached": true, "inside": true,
}

// word is one of ours as people read it in a table; scripts get it as it is.
func word(env cli.Env, text string) string {
	if env.Form() == cli.Table && spoken[text] {
		return env.T(text)
	}
	return text
}
