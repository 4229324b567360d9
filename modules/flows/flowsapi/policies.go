package flowsapi

import "context"

// Policies collects who rules over flows: the sets that ways of drawings name, the ways out that operators have
// written, and what drawings may have.
type Policies interface {
	// Add takes one more, while the panel is composed.
	Add(name string, source PolicySource)
}

// PolicySource answers the questions of compilations.
type PolicySource interface {
	// Catalogue gives a version of the catalogue; 0 asks for the newest one. It is asked once for a drawing that names
	// sets.
	Catalogue(ctx context.Context, version int) (Catalogue, error)
	// Plans gives versions of custom plans by their ids, whether or not a policy enables them; unknown ones are left
	// out.
	Plans(ctx context.Context, versionIDs []string) ([]CustomPlan, error)
	// Judge says what of a drawing the policies of its flow forbid.
	Judge(ctx context.Context, d Drawn) ([]Violation, error)
}

// Catalogue is one version of the policy catalogue: the sets that ways of drawings may name.
type Catalogue struct {
	Version int // 0 while none was ever saved
	Sets    map[string]MatchSet
}

// MatchSet is a named set of names and addresses.
type MatchSet struct {
	Geosite []string `json:"geosite,omitempty" maxItems:"100"`
	GeoIP   []string `json:"geoip,omitempty" maxItems:"100"`
	Domain  []string `json:"domain,omitempty" maxItems:"1000"`
	IP      []string `json:"ip,omitempty" maxItems:"1000"`
}

// Ways out of a custom plan.
const (
	PlanDirect = "direct" // from the node itself
	PlanSOCKS  = "socks"  // through a SOCKS5 proxy
	PlanHTTP   = "http"   // through an HTTP proxy that knows CONNECT
)

// CustomPlan is one version of a custom plan: a way out that an operator has written. A version never changes.
type CustomPlan struct {
	VersionID string
	Name      string
	Number    int
	Way       string // one of the ways

	Address, User, Password string // of the proxy
	Port                    int

	Family   string // direct: any, ipv4 or ipv6
	Fragment *Fragment
}

// Fragment splits what opens a connection, so that no single packet has the name of the site.
type Fragment struct {
	Packets  string `json:"packets" enum:"tlshello,1-3" doc:"tlshello: the TLS handshake alone; 1-3: the first three packets"`
	Length   string `json:"length" pattern:"^[0-9]{1,4}(-[0-9]{1,4})?$" maxLength:"9" doc:"Bytes of each piece: 100-200"`
	Interval string `json:"interval" pattern:"^[0-9]{1,4}(-[0-9]{1,4})?$" maxLength:"9" doc:"Milliseconds between pieces: 10-20"`
}

// Drawn is what policies may look at of a drawing: the blocks that an entry leads to, as they would be compiled.
type Drawn struct {
	FlowID    string
	Listeners []DrawnListener // of the entries
	Blocks    []DrawnBlock
	Ways      []DrawnWay // those of one block in the order in which they are tried
	Pools     map[string]Pool
	Clients   func(ctx context.Context) (int, error) // how many may use the flow
}

// DrawnListener is where clients connect.
type DrawnListener struct {
	Path      string // field of the drawing
	Protocol  string
	Transport string
	Security  string
	Flow      string
}

// DrawnBlock is one block.
type DrawnBlock struct {
	Path          string
	Key           string
	Kind          string
	NodeID        string
	PoolID        string
	PlanVersionID string
	Private       bool // traffic may reach private addresses from here
}

// DrawnWay leads from one block to the next.
type DrawnWay struct {
	Path     string
	From, To string // keys of blocks
	Sets     []string
	Match    MatchSet // with what the sets hold
	Own      MatchSet // without
	Port     string
	Protocol []string
}

// Violation is something of a drawing that a policy forbids.
type Violation struct {
	Code    string // ForbiddenByPolicy or PlanNotEnabled
	Path    string // field of the drawing
	Policy  string // name
	Rule    string // kind of the rule
	Name    string // that people gave the rule; may be empty
	Message string
}

// Codes of what policies forbid.
const (
	ForbiddenByPolicy = "policy_forbids"
	PlanNotEnabled    = "custom_plan_not_enabled"
)

// CatalogueUse is a flow that names sets of the catalogue in what is installed.
type CatalogueUse struct {
	FlowID   string
	FlowName string
	Version  int      // that the installed version was compiled with
	Sets     []string // that it names, sorted
}

// PlanUse is a flow that has a version of a custom plan in its draft or in what is installed.
type PlanUse struct {
	VersionID string
	FlowID    string
	FlowName  string
	Draft     bool
	Installed bool
}

// PolicyUses tells which flows depend on what policies keep. Its calls take part in the context's transaction.
type PolicyUses interface {
	// CatalogueUses lists the flows that run with sets of the catalogue, by their names.
	CatalogueUses(ctx context.Context) ([]CatalogueUse, error)
	// PlanUses lists the flows that use one of these versions of custom plans, by their names.
	PlanUses(ctx context.Context, versionIDs ...string) ([]PlanUse, error)
	// Names gives the names of those of the flows that are there, by their ids.
	Names(ctx context.Context, flowIDs ...string) (map[string]string, error)
}
