package imports

import (
	"encoding/json"
	"time"
)

// Import is what was read of another program, without its secrets. Nothing of it is a flow until it is taken.
type Import struct {
	ID        string    `json:"id" format:"uuid"`
	Format    string    `json:"format" doc:"xray, remnawave, 3x-ui or flow"`
	Entries   []Entry   `json:"entries" doc:"Listeners that can become flows"`
	Clients   int       `json:"clients" doc:"Of all entries"`
	Findings  []Finding `json:"findings" doc:"What could not be read, or is another in the flow"`
	Flows     []Made    `json:"flows" doc:"What it has become; empty until it is taken"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at" doc:"From then on it cannot be taken any more"`
}

// Entry is a listener that can become a flow.
type Entry struct {
	Key       string `json:"key"`
	Name      string `json:"name" doc:"A name that no flow has yet"`
	Off       bool   `json:"off" doc:"It was switched off there"`
	Whole     bool   `json:"whole" doc:"A whole flow of a panel, and no listener"`
	Protocol  string `json:"protocol"`
	Transport string `json:"transport"`
	Security  string `json:"security"`
	Port      string `json:"port" doc:"Or a range"`
	Domain    string `json:"domain" doc:"Host name that clients expect a certificate for; empty without TLS"`
	Clients   int    `json:"clients"`
	Rules     int    `json:"rules"`

	Subscriptions int `json:"subscriptions" doc:"Clients whose programs go on with the subscription URL that they have"`

	Problems []Problem `json:"problems" doc:"What is to be corrected in the draft before a plan"`
}

// Problem is what keeps a draft from running.
type Problem struct {
	Code    string `json:"code"`
	Path    string `json:"path" doc:"Field of the drawing"`
	Message string `json:"message" doc:"In English"`
}

// Finding is what could not be read, or is another in the flow.
type Finding struct {
	Path   string `json:"path" doc:"Where it stands there"`
	Code   string `json:"code"`
	Reason string `json:"reason" doc:"The code in English words"`
	Entry  string `json:"entry" doc:"Key of the entry that it is about; may be empty"`
	What   string `json:"what" doc:"Name of a protocol, a setting or a client; may be empty"`
}

// Made is a flow that an import has become.
type Made struct {
	Key     string `json:"key"`
	ID      string `json:"id" format:"uuid"`
	Name    string `json:"name"`
	Clients int    `json:"clients"`
}

// ImportPath names an import in a path.
type ImportPath struct {
	ID string `path:"id" maxLength:"64"`
}

type flowPath struct {
	ID string `path:"id" maxLength:"64"`
}

type outsideInput struct{ Body Outside }

// Outside says where another panel is and how it lets its administrator in. It is asked once and not kept.
type Outside struct {
	Address  string `json:"address" minLength:"8" maxLength:"500" doc:"Of 3x-ui, with its base path: https://203.0.113.7:2053/base/"`
	Token    string `json:"token,omitempty" writeOnly:"true" maxLength:"500" doc:"API token; or username and password"`
	Username string `json:"username,omitempty" maxLength:"128"`
	Password string `json:"password,omitempty" writeOnly:"true" maxLength:"256"`
	Code     string `json:"code,omitempty" writeOnly:"true" maxLength:"16" doc:"Second factor, where it asks for one"`
}

type takeInput struct {
	ImportPath
	Body Take
}

// Take says which entries become flows.
type Take struct {
	NodeID  string  `json:"node_id,omitempty" maxLength:"64" doc:"Where the entries shall be; may be chosen in the drafts"`
	Entries []Taken `json:"entries" minItems:"1" maxItems:"200"`
}

// Taken is an entry that becomes a flow.
type Taken struct {
	Key  string `json:"key" minLength:"1" maxLength:"64"`
	Name string `json:"name" minLength:"3" maxLength:"64"`
}

// Exported is a flow as a file: its draft without keys, secrets, clients and links.
type Exported struct {
	Schema      string            `json:"schema" enum:"panel.flow/v1"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Tags        []string          `json:"tags"`
	Graph       json.RawMessage   `json:"graph"`
	Nodes       map[string]string `json:"nodes" doc:"Names of nodes by their ids in the drawing"`
}
