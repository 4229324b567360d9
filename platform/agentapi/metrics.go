package agentapi

import "time"

// MetricsBatch carries numbered samples. A batch never changes once it has its number: a repeated
// (node, stream_id, seq) is the same batch again and is stored once.
type MetricsBatch struct {
	StreamID string   `json:"stream_id" doc:"Made with the agent's data folder; a new folder numbers from 1 under a new id"`
	Seq      int64    `json:"seq" doc:"Number of the batch: rising by one per stream, from 1, also over restarts"`
	Dropped  int64    `json:"dropped,omitempty" doc:"Samples of this stream that a full buffer has lost so far"`
	Samples  []Sample `json:"samples" doc:"Oldest first"`
}

// Sample is one reading of the host, with the traffic since the reading before it.
type Sample struct {
	ObservedAt     time.Time `json:"observed_at" doc:"When it was read, by the agent's clock"`
	CPUPercent     float64   `json:"cpu_pct" doc:"Share of all processors in use since the sample before, 0 to 100"`
	Load1          float64   `json:"load1" doc:"Load average of one minute"`
	MemUsed        int64     `json:"mem_used" doc:"Bytes of memory in use"`
	MemTotal       int64     `json:"mem_total" doc:"Bytes of memory"`
	DiskUsed       int64     `json:"disk_used" doc:"Bytes in use on the agent's file system"`
	DiskTotal      int64     `json:"disk_total" doc:"Bytes of the agent's file system"`
	NetRxBps       float64   `json:"net_rx_bps" doc:"Bits received per second, without loopback"`
	NetTxBps       float64   `json:"net_tx_bps" doc:"Bits sent per second, without loopback"`
	RxPps          float64   `json:"rx_pps" doc:"Packets received per second"`
	TCPEstablished int64     `json:"tcp_established" doc:"Established TCP connections"`
	ConntrackCount int64     `json:"conntrack_count" doc:"Tracked connections; 0 where tracking is off"`
	ConntrackMax   int64     `json:"conntrack_max" doc:"Room for tracked connections"`
	SyncookiesPs   float64   `json:"syncookies_ps" doc:"SYN cookies sent per second"`
	ListenDropsPs  float64   `json:"listen_drops_ps" doc:"Connections dropped at listeners per second"`
	UptimeSeconds  int64     `json:"uptime_s" doc:"Seconds since the server booted"`
	Traffic        []Traffic `json:"traffic,omitempty" maxItems:"20000" doc:"Bytes since the sample before, only where not zero"`

	IntervalSeconds float64 `json:"interval_s,omitempty" doc:"Seconds that the traffic is of; absent where a core cannot tell all"`

	Sessions  *int64     `json:"sessions,omitempty" doc:"Open sessions of the listeners; absent where the agent cannot count them"`
	Listeners []Sessions `json:"listeners,omitempty" maxItems:"20000" doc:"The same by listener; one whose sessions cannot be counted is missing"`
}

// Sessions counts what is open at one listener at the moment of the sample.
type Sessions struct {
	Name string `json:"name" maxLength:"255" doc:"The inbound's tag in the core configuration"`
	Open int64  `json:"open" doc:"Established connections of clients"`
}

// Traffic counts bytes of one client, listener or outbound since the sample before. A stream that the kernel forwards
// without the core is counted when it ends.
type Traffic struct {
	Kind string `json:"kind" maxLength:"64" doc:"client (name = the user's email in the core configuration), listener or outbound (name = its tag), share (name = the id of a client)"`
	Name string `json:"name" maxLength:"255" doc:"Name in the core configuration"`
	Up   int64  `json:"up" doc:"Bytes from the client"`
	Down int64  `json:"down" doc:"Bytes to the client"`
}

// Kinds of Traffic.
const (
	TrafficClient   = "client"
	TrafficListener = "listener"
	TrafficOutbound = "outbound"

	// TrafficShare is no traffic of its own: Up is what the agent has counted of a client in all, for its Share.
	TrafficShare = "share"
)

// MetricsReply acknowledges what is durable.
type MetricsReply struct {
	AckedSeq int64 `json:"acked_seq" doc:"Every batch of this stream up to this number is stored"`
}
