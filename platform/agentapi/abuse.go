package agentapi

import "time"

// Paths of what agents tell of abuse (specification, "Endpoints"). Both take one batch in AbusePace of an agent, answer
// 202 once it is durable, and 403 license_read_only with Retry-After while the panel is read-only: the agent keeps the
// batch and sends it again.
const (
	PathAbuseSignals     = "/agent/v1/abuse-signals"     // POST AbuseBatch -> BatchReply
	PathSessionDiversity = "/agent/v1/session-diversity" // POST DiversityBatch -> BatchReply
)

// AbusePace is the shortest time between two batches of one agent to one of these paths.
const AbusePace = 5 * time.Second

// Bounds of what a signal and a line of diversity hold; the panel cuts what is beyond.
const (
	MaxEvidence       = 1 << 10 // bytes
	MaxDiversityLists = 64      // entries of each list of a user
)

// AbuseKind is what a user seems to do.
type AbuseKind string

// Kinds of signals.
const (
	AbuseTorrent    AbuseKind = "torrent"
	AbusePortScan   AbuseKind = "port_scan"
	AbuseSMTPSpam   AbuseKind = "smtp_spam"
	AbuseBruteForce AbuseKind = "brute_force"
	AbuseFlood      AbuseKind = "ddos_out"
	AbusePhishing   AbuseKind = "phishing_dest"
	AbuseBlockedGeo AbuseKind = "blocked_geo"
	AbuseHighRate   AbuseKind = "high_rate"
	AbuseTooMany    AbuseKind = "too_many_sources"
)

// AbuseKinds are the kinds.
var AbuseKinds = []AbuseKind{
	AbuseTorrent, AbusePortScan, AbuseSMTPSpam, AbuseBruteForce, AbuseFlood, AbusePhishing, AbuseBlockedGeo,
	AbuseHighRate, AbuseTooMany,
}

// Detector is how a signal was found, which says how hard the proof is.
type Detector string

// Detectors.
const (
	DetectedByRouting Detector = "xray_routing" // the core's sniffing or routing named the protocol
	DetectedByNDPI    Detector = "ndpi"         // packets were inspected
	DetectedByFlows   Detector = "netflow"      // numbers of connections and destinations
	DetectedByRule    Detector = "rule"         // a rule on what connections have in common, ports as an example
)

// Detectors are the ways of finding.
var Detectors = []Detector{DetectedByRouting, DetectedByNDPI, DetectedByFlows, DetectedByRule}

// MostAbuseItems is how many signals, users or listeners one batch names; more go into the next ones.
const MostAbuseItems = 2000

// AbuseBatch carries numbered signals of one window of time. A repeated (node, stream_id, seq) is the same batch again
// and is stored once.
type AbuseBatch struct {
	StreamID string        `json:"stream_id" doc:"Made with the agent's data folder; a new folder numbers from 1 under a new id"`
	Seq      int64         `json:"seq" doc:"Number of the batch: rising by one per stream, from 1, also over restarts"`
	Dropped  int64         `json:"dropped,omitempty" doc:"Signals of this stream that a full buffer has lost so far"`
	Window   Window        `json:"window" doc:"The time that the batch is about"`
	Signals  []AbuseSignal `json:"signals" maxItems:"2000" doc:"Oldest first"`
}

// Window is a span of time by the panel's clock, as far as the agent knows it.
type Window struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// AbuseSignal is one thing that a user seems to do, with how often and how certain it is.
type AbuseSignal struct {
	Kind       AbuseKind     `json:"kind" doc:"torrent, port_scan, smtp_spam, brute_force, ddos_out, phishing_dest, blocked_geo, high_rate or too_many_sources"`
	UserRef    string        `json:"user_ref" doc:"c:<client id> or p:<connection>:<user id>"`
	FlowID     string        `json:"flow_id,omitempty" doc:"Of the node's own flows"`
	InboundTag string        `json:"inbound_tag,omitempty"`
	Source     *AbuseSource  `json:"source,omitempty"`
	Dest       *AbuseDest    `json:"dest,omitempty"`
	Count      int64         `json:"count" doc:"How often in the window"`
	FirstAt    time.Time     `json:"first_at"`
	LastAt     time.Time     `json:"last_at"`
	DetectedBy Detector      `json:"detected_by" doc:"xray_routing, ndpi, netflow or rule"`
	Confidence float64       `json:"confidence" doc:"0 to 1"`
	Evidence   string        `json:"evidence,omitempty" doc:"In the agent's words, at most 1 KiB"`
	Action     *AbuseHandled `json:"action,omitempty" doc:"What the core has done about it by itself"`
}

// AbuseSource is where a user's sessions come from. The address itself is sent only while a case of the user is open.
type AbuseSource struct {
	IP         string `json:"ip,omitempty"`
	PrefixHash string `json:"prefix_hash,omitempty" doc:"Salted, of the /24 or /64"`
	ASN        int64  `json:"asn,omitempty"`
	Country    string `json:"country,omitempty" doc:"ISO 3166 code"`
}

// AbuseDest is what a user reached for.
type AbuseDest struct {
	Host string `json:"host,omitempty"`
	IP   string `json:"ip,omitempty"`
	Port int    `json:"port,omitempty"`
	ASN  int64  `json:"asn,omitempty"`
}

// AbuseHandled says what was done at once where it was seen.
type AbuseHandled struct {
	Blocked       bool       `json:"blocked"`
	WillUnblockAt *time.Time `json:"will_unblock_at,omitempty"`
}

// CoverageSource is what an agent knows the sessions of a listener by.
type CoverageSource string

// Sources of coverage.
const (
	CoverageStats     CoverageSource = "stats_api"
	CoverageAccessLog CoverageSource = "access_log"
	CoverageProxy     CoverageSource = "proxy_protocol"
)

// CoverageSources are the sources.
var CoverageSources = []CoverageSource{CoverageStats, CoverageAccessLog, CoverageProxy}

// Coverage says of a listener whether the agent sees all its sessions: what is not seen is unknown, not zero.
type Coverage struct {
	InboundTag string         `json:"inbound_tag"`
	Source     CoverageSource `json:"source" doc:"stats_api, access_log or proxy_protocol"`
	Complete   bool           `json:"complete"`
}

// DiversityBatch carries from where users were connected in one window, five minutes as a rule. A repeated (node,
// stream_id, seq) is the same batch again and is stored once.
type DiversityBatch struct {
	StreamID string          `json:"stream_id" doc:"Made with the agent's data folder; a new folder numbers from 1 under a new id"`
	Seq      int64           `json:"seq" doc:"Number of the batch: rising by one per stream, from 1, also over restarts"`
	Dropped  int64           `json:"dropped,omitempty" doc:"Lines of this stream that a full buffer has lost so far"`
	Window   Window          `json:"window" doc:"The time that the batch is about"`
	Coverage []Coverage      `json:"coverage,omitempty" maxItems:"2000" doc:"Of every listener of the node"`
	Users    []UserDiversity `json:"users" maxItems:"2000" doc:"Those who had a session in the window"`
}

// UserDiversity is from where one user was connected in a window.
type UserDiversity struct {
	UserRef       string        `json:"user_ref" doc:"c:<client id> or p:<connection>:<user id>"`
	IPs           int64         `json:"ips" doc:"Different addresses"`
	Sources       int64         `json:"sources" doc:"The same with a /24 or a /64 counted once, but those of hosting and VPN"`
	ASNs          []int64       `json:"asns,omitempty" maxItems:"2000" doc:"Networks, as far as they are known"`
	Countries     []string      `json:"countries,omitempty" maxItems:"2000" doc:"ISO 3166 codes, as far as they are known"`
	Cities        []string      `json:"cities,omitempty" maxItems:"2000"`
	MobileShare   float64       `json:"mobile_share" doc:"Of the sources, those in mobile networks: 0 to 1"`
	MaxConcurrent int64         `json:"max_concurrent" doc:"Sources with a session at the same time, at most"`
	FirstAt       time.Time     `json:"first_at"`
	LastAt        time.Time     `json:"last_at"`
	Devices       *int64        `json:"devices,omitempty" doc:"Different devices; absent: unknown"`
	Networks      []UserNetwork `json:"networks,omitempty" maxItems:"2000" doc:"Each network by itself, as far as it is known"`
}

// NetworkKind is what sort of network sessions come from.
type NetworkKind string

// Kinds of networks; empty is unknown.
const (
	NetworkHome    NetworkKind = "home"
	NetworkMobile  NetworkKind = "mobile"
	NetworkHosting NetworkKind = "hosting"
	NetworkVPN     NetworkKind = "vpn"
)

// NetworkKinds are the kinds.
var NetworkKinds = []NetworkKind{NetworkHome, NetworkMobile, NetworkHosting, NetworkVPN}

// UserNetwork is what a user had open in one network and country during a window.
type UserNetwork struct {
	ASN      int64       `json:"asn,omitempty" doc:"0: unknown"`
	Name     string      `json:"name,omitempty" doc:"Who runs it"`
	Kind     NetworkKind `json:"kind,omitempty" doc:"home, mobile, hosting or vpn; absent: unknown"`
	NAT      bool        `json:"nat,omitempty" doc:"A carrier puts many customers behind one address"`
	Country  string      `json:"country,omitempty"`
	City     string      `json:"city,omitempty"`
	Lat      float64     `json:"lat,omitempty" doc:"Degrees; 0 with lon 0: unknown"`
	Lon      float64     `json:"lon,omitempty"`
	Prefixes []string    `json:"prefixes,omitempty" doc:"Salted hashes of the /24 and /64"`
	FirstAt  time.Time   `json:"first_at"`
	LastAt   time.Time   `json:"last_at"`
}
