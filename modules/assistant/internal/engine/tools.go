package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"panel/modules/assistant/internal/masking"
	"panel/modules/assistant/internal/refusals"
)

// Tool is a topic that a language model may name instead of a question's words. It reads, or proposes a change of a
// kind that is known here; there is no tool that acts.
type Tool struct {
	Name  string
	About string
	Args  []string // of Args' members
	Reads []string // operations that it may ask, for people who want to know
}

// Args are what a tool is asked about.
type Args struct {
	Subject string `json:"subject"` // name of a node or flow; empty: the one of the page
	Other   string `json:"other"`   // a second name
	Code    string `json:"code"`    // an error code
	Period  string `json:"period"`  // yesterday, today, hour, week
	Field   string `json:"field"`   // port
}

// Bounds of arguments.
const longestArgument = 100

// Tools are all of them.
func Tools() []Tool { return slices.Clone(tools) }

const (
	reads    = "/api/v1/nodes"
	readsOne = "/api/v1/nodes/{id}"
	flowsAt  = "/api/v1/connection-units"
	oneFlow  = "/api/v1/connection-units/{id}"
	healthAt = "/api/v1/health/incidents"
)

var tools = []Tool{
	{"offline_nodes", "Nodes that are offline, since when and why", nil, []string{reads}},
	{"maintained_nodes", "Nodes in maintenance", nil, []string{reads}},
	{"red", "Open incidents and nodes that are not well, since when", nil, []string{healthAt, reads}},
	{"count_nodes", "How many nodes there are, by state", nil, []string{reads}},
	{"count_flows", "How many flows there are", nil, []string{flowsAt}},
	{"count_clients", "How many clients there are; never who they are", nil, []string{"/api/v1/clients"}},
	{"node_dies", "What stops if the node subject dies", []string{"subject"}, []string{reads, flowsAt, "/api/v1/transit-pools"}},
	{"flows_of_node", "Flows that are installed on the node subject", []string{"subject"}, []string{reads, flowsAt}},
	{"object_state", "How the node or flow subject is, and its incidents", []string{"subject"}, []string{readsOne, oneFlow, healthAt}},
	{"node_traffic", "Traffic of the node or flow subject", []string{"subject"}, []string{readsOne, oneFlow + "/traffic"}},
	{"fleet_traffic", "Traffic of all nodes together now", nil, []string{"/api/v1/nodes/summary"}},
	{"flow_leaves", "Which way the traffic of the flow subject takes, and why; other may be a node or a domain", []string{
		"subject", "other",
	}, []string{oneFlow, oneFlow + "/explain"}},
	{"red_flows", "Flows that are down or degraded", nil, []string{"/api/v1/health/connection-units"}},
	{"failed_applies", "Flows whose last apply failed", nil, []string{flowsAt}},
	{"pools", "Pools that are not healthy", nil, []string{"/api/v1/transit-pools"}},
	{"who_changed", "Who changed what, by the journal; subject, period and field narrow it", []string{
		"subject", "period", "field",
	}, []string{"/api/v1/audit"}},
	{"certificates", "Certificates and when they expire", nil, []string{"/api/v1/certificates"}},
	{"license", "State and end of the license", nil, []string{"/api/v1/license/status"}},
	{"last_backup", "When the last backup succeeded and the next one runs", nil, []string{
		"/api/v1/backups/profiles", "/api/v1/backups/runs",
	}},
	{"version", "Version of the panel and available updates", nil, []string{"/api/v1/system/status", "/api/v1/system/updates"}},
	{"agent_versions", "Versions of the agents", nil, []string{"/api/v1/nodes/summary"}},
	{"doctor", "Findings of Doctor", nil, []string{"/api/v1/system/diagnostics"}},
	{"automation", "Whether automatic acts are stopped", nil, []string{"/api/v1/system/automation"}},
	{"code", "What the error code means and what to do", []string{"code"}, nil},
	{"task_first_flow", "How to make the first flow", nil, []string{reads, flowsAt}},
	{"task_notifications", "How to set up notifications", nil, []string{
		"/api/v1/notifications/settings", "/api/v1/notifications/rules",
	}},
	{"task_replace_node", "How to replace a node; with subject and other it proposes to look what it would change", []string{
		"subject", "other",
	}, []string{reads, oneFlow + "/draft"}},
	{"maintenance_on", "Proposes maintenance of the node subject", []string{"subject"}, []string{readsOne}},
	{"maintenance_off", "Proposes the end of the maintenance of the node subject", []string{"subject"}, []string{readsOne}},
	{"flow_off", "Proposes to switch the flow subject off", []string{"subject"}, []string{oneFlow}},
	{"flow_on", "Proposes to switch the flow subject on", []string{"subject"}, []string{oneFlow}},
	{"flow_plan", "Proposes to preview the plan of the flow subject", []string{"subject"}, []string{oneFlow}},
	{"backup_now", "Proposes to run a backup", nil, []string{"/api/v1/backups/profiles"}},
}

// Schema describes the arguments of a tool to a model.
func (t Tool) Schema() json.RawMessage {
	properties := map[string]any{}
	for _, arg := range t.Args {
		properties[arg] = map[string]any{"type": "string", "maxLength": longestArgument}
	}
	return body(map[string]any{"type": "object", "properties": properties, "additionalProperties": false})
}

// Faults of a model's call.
var (
	ErrNoTool  = errors.New("there is no such tool; name one of those that you were given")
	ErrBadArgs = errors.New("the arguments are not those of the tool")
)

// Result is what a tool gives.
type Result struct {
	Answer    Answer
	Proposals []Proposal
}

// Text is what a model is told: without addresses, keys and names of clients.
func (r Result) Text() string {
	var lines []string
	for _, p := range r.Answer.Paragraphs {
		lines = append(lines, p.Text)
	}
	for _, p := range r.Proposals {
		lines = append(lines, "Proposed to the person, who alone decides: "+p.Title)
	}
	return masking.Addresses(masking.Secrets(strings.Join(lines, "\n")))
}

// Call runs a tool that a model has named, with the rights of the context's caller.
// Errors: ErrNoTool, ErrBadArgs, and those of the panel.
func Call(ctx context.Context, panel Reader, ask Ask, name, arguments string) (Result, error) {
	at := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	if at < 0 {
		return Result{}, ErrNoTool
	}
	args, err := tools[at].read(arguments)
	if err != nil {
		return Result{}, err
	}
	t := &talk{ctx: ctx, panel: panel, ask: ask, masked: true}
	t.answer = NewAnswer()
	t.answer.Understood, t.answer.Topic = true, name
	t.take(args)
	if name == "code" {
		t.codeText(args.Code)
	} else {
		all := topics()
		all[slices.IndexFunc(all, func(one topic) bool { return one.name == name })].answer(t)
	}
	return Result{t.answer, t.offers}, t.failed
}

// read takes arguments as strictly as any input of the panel.
func (t Tool) read(text string) (args Args, err error) {
	if strings.TrimSpace(text) == "" {
		return args, nil
	}
	given := map[string]string{}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return args, ErrBadArgs
	}
	for name, value := range given {
		if !slices.Contains(t.Args, name) || len(value) > longestArgument {
			return args, ErrBadArgs
		}
	}
	return args, json.Unmarshal([]byte(text), &args)
}

// take puts arguments where the words of a question would be.
func (t *talk) take(args Args) {
	for _, name := range []string{args.Subject, args.Other} {
		if name = fold(strings.TrimSpace(name)); name != "" {
			t.names = append(t.names, name)
		}
	}
	if len(t.names) == 0 {
		t.words = append(t.words, word{text: string(this), of: []concept{this}})
	}
	for _, text := range []string{args.Period, args.Field} {
		if slices.Contains([]string{"yesterday", "today", "hour", "week", "port"}, text) {
			t.words = append(t.words, word{text: text, of: []concept{concept(text)}})
		}
	}
}

func (t *talk) codeText(code string) {
	text, known := refusals.Of(fold(strings.TrimSpace(code)))
	if !known {
		t.text(t.say("The panel has no error code %q.", "Кода ошибки %q у панели нет.", code))
		return
	}
	t.text(text.Meaning + ". " + text.Advice[orNone(t.ask.Language, "en")])
}
