package intake

import (
	"github.com/google/uuid"

	"panel/platform/agentapi"
	"panel/platform/ingest"
)

// streamsPerDay is as many as an agent needs whose data folder is made anew each hour.
const streamsPerDay = 24

const (
	signalRowSize    = 320
	diversityRowSize = 600
)

var signalKind = ingest.Kind[[]agentapi.AbuseSignal]{
	Name: "signals of abuse", Streams: "abuse_signal_streams", Nodes: "nodes", StreamsPerDay: streamsPerDay,
	Copy: `copy abuse_signals (id, node_id, xact, kind, user_ref, flow_id, inbound_tag, source_ip, source_hash,
		source_asn, source_country, dest_host, dest_ip, dest_port, dest_asn, count, first_at, last_at, detected_by,
		confidence, evidence, blocked, unblock_at) from stdin binary`,
	Columns: 23, Size: func(batch []agentapi.AbuseSignal) int { return signalRowSize * len(batch) },
	Encode: encodeSignals, Prepare: "select abuse_prepare()",
}

// encodeSignals writes signals that were made fit before.
func encodeSignals(rows *ingest.Rows, node uuid.UUID, xact int64, batch []agentapi.AbuseSignal) {
	for i := range batch {
		s := &batch[i]
		rows.Begin()
		rows.UUID(uuid.Must(uuid.NewV7()))
		rows.UUID(node)
		rows.Int(xact)
		rows.Text(string(s.Kind))
		rows.Text(s.UserRef)
		if flow, err := uuid.Parse(s.FlowID); err == nil {
			rows.UUID(flow)
		} else {
			rows.Null()
		}
		rows.Text(s.InboundTag)
		textOrNull(rows, s.Source.IP)
		rows.Text(s.Source.PrefixHash)
		rows.Int(s.Source.ASN)
		rows.Text(s.Source.Country)
		rows.Text(s.Dest.Host)
		textOrNull(rows, s.Dest.IP)
		rows.Int(int64(s.Dest.Port))
		rows.Int(s.Dest.ASN)
		rows.Int(s.Count)
		rows.Time(s.FirstAt)
		rows.Time(s.LastAt)
		rows.Text(string(s.DetectedBy))
		rows.Float(s.Confidence)
		rows.Text(s.Evidence)
		rows.Bool(s.Action.Blocked)
		if s.Action.WillUnblockAt == nil {
			rows.Null()
		} else {
			rows.Time(*s.Action.WillUnblockAt)
		}
	}
}

func textOrNull(rows *ingest.Rows, text string) {
	if text == "" {
		rows.Null()
		return
	}
	rows.Text(text)
}

var diversityKind = ingest.Kind[lines]{
	Name: "session diversity", Streams: "abuse_diversity_streams", Nodes: "nodes", StreamsPerDay: streamsPerDay,
	Copy: `copy abuse_diversity (node_id, xact, user_ref, from_at, to_at, ips, sources, mobile_share, max_concurrent,
		devices, first_at, last_at, lists) from stdin binary`,
	Columns: 13, Size: func(batch lines) int { return diversityRowSize * len(batch.users) },
	Encode: encodeDiversity, Prepare: "select abuse_prepare()",
}

// Lists are what a row of diversity holds beside its numbers, as its column lists has it.
type Lists struct {
	ASNs      []int64                `json:"asns,omitempty"`
	Countries []string               `json:"countries,omitempty"`
	Cities    []string               `json:"cities,omitempty"`
	Networks  []agentapi.UserNetwork `json:"networks,omitempty"`
}

func encodeDiversity(rows *ingest.Rows, node uuid.UUID, xact int64, batch lines) {
	for i := range batch.users {
		u := &batch.users[i]
		rows.Begin()
		rows.UUID(node)
		rows.Int(xact)
		rows.Text(u.UserRef)
		rows.Time(batch.window.From)
		rows.Time(batch.window.To)
		rows.Int(u.IPs)
		rows.Int(u.Sources)
		rows.Float(u.MobileShare)
		rows.Int(u.MaxConcurrent)
		if u.Devices == nil {
			rows.Null()
		} else {
			rows.Int(*u.Devices)
		}
		rows.Time(u.FirstAt)
		rows.Time(u.LastAt)
		rows.JSON(Lists{ASNs: u.ASNs, Countries: u.Countries, Cities: u.Cities, Networks: u.Networks})
	}
}
