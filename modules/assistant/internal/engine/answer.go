// Package engine answers questions about the panel from what its caller may read, in English and Russian, by fixed
// rules and without any outside service. What it does not understand it says so; it never guesses.
package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"panel/modules/assistant/internal/masking"
)

// Kinds of paragraphs.
const (
	Text    = "text"
	Item    = "item"
	Step    = "step"
	Warning = "warning"
)

// Answer is what is told.
type Answer struct {
	Understood  bool        `json:"understood" doc:"false: the question was not understood; suggestions say what can be asked"`
	Topic       string      `json:"topic" doc:"What the question was taken for; empty for a model's answer"`
	Paragraphs  []Paragraph `json:"paragraphs"`
	Read        []Read      `json:"read" doc:"What was read for it"`
	Suggestions []string    `json:"suggestions" doc:"What can be asked next"`
	Refused     []Refused   `json:"refused" doc:"Calls of a language model that were refused; nothing was read or done for them"`
}

// NewAnswer is one that tells nothing yet.
func NewAnswer() Answer {
	return Answer{Paragraphs: []Paragraph{}, Read: []Read{}, Suggestions: []string{}, Refused: []Refused{}}
}

// Refused is a tool that a model named and did not get.
type Refused struct {
	Tool   string `json:"tool" doc:"As the model named it, masked and shortened"`
	Reason string `json:"reason" enum:"unknown_tool,wrong_arguments"`
}

// Why a model did not get a tool.
const (
	unknownTool    = "unknown_tool"
	wrongArguments = "wrong_arguments"
)

// RefusedCall is the trace of a call that ended with ErrNoTool or ErrBadArgs. What the model named may hold anything.
func RefusedCall(name string, err error) Refused {
	const longest = 60
	out := Refused{Tool: masking.Addresses(masking.Secrets(strings.ToValidUTF8(name, ""))), Reason: unknownTool}
	if letters := []rune(out.Tool); len(letters) > longest {
		out.Tool = string(letters[:longest]) + "…"
	}
	if errors.Is(err, ErrBadArgs) {
		out.Reason = wrongArguments
	}
	return out
}

// Paragraph is a piece of the answer, plain text without markup.
type Paragraph struct {
	Kind  string `json:"kind" enum:"text,item,step,warning"`
	Text  string `json:"text"`
	Links []Link `json:"links"`
}

// Link leads to a page of the panel.
type Link struct {
	Label string `json:"label"`
	Href  string `json:"href"`
}

// Read is one read of the panel.
type Read struct {
	Path    string    `json:"path" doc:"Operation and what it was asked for"`
	At      time.Time `json:"at"`
	OK      bool      `json:"ok"`
	Missing []string  `json:"missing" doc:"Permissions that the caller lacks for it"`
}

// Kinds of proposals.
const (
	Draft = "draft"
	Plan  = "plan"
	Form  = "form"
)

// Proposal is a change that a person may send to the ordinary API after a look at it. Nobody else sends it.
type Proposal struct {
	Kind    string  `json:"kind" enum:"draft,plan,form" doc:"draft: of a flow; plan: what an apply would do; form: any other change"`
	Title   string  `json:"title"`
	Why     string  `json:"why"`
	Needs   string  `json:"needs" doc:"Permission that the request asks for"`
	Href    string  `json:"href" doc:"Page to look at afterwards; empty: none"`
	Diff    []Diff  `json:"diff"`
	Request Request `json:"request"`
}

// Diff is one field that would change.
type Diff struct {
	Field string `json:"field"`
	From  string `json:"from"`
	To    string `json:"to"`
}

// Request is what the browser sends to the ordinary API once the person has confirmed.
type Request struct {
	Method string          `json:"method" enum:"POST,PUT,PATCH"`
	Path   string          `json:"path"`
	Body   json.RawMessage `json:"body" doc:"null: none"`
}

// Ask is a question.
type Ask struct {
	Text     string
	Language string // en or ru
	Page     string // path of the page that the caller looks at
	Now      time.Time
}
