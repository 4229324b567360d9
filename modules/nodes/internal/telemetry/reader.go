package telemetry

import (
	"bytes"
	"strconv"
	"time"

	"panel/modules/nodes/internal/texts"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// ReadBatch decodes a batch of samples. Agents of this version write a plain form that the quick reader takes at a
// fifth of the cost; at anything else it gives up, and the text is judged like every body and decoded by encoding/json:
// what the quick reader takes means the same there.
func ReadBatch(text []byte) (*agentapi.MetricsBatch, error) {
	batch := new(agentapi.MetricsBatch)
	r := batchReader{text: text}
	if r.batch(batch); !r.lost && r.atEnd() {
		return batch, nil
	}
	return batches.Read(text)
}

var (
	batches = httpapi.Leniently[agentapi.MetricsBatch]()
	frames  = httpapi.Leniently[agentapi.Frame]()
)

// ReadFrame decodes a frame of a stream, batches of samples quickly as above.
func ReadFrame(text []byte) (*agentapi.Frame, error) {
	frame, r := new(agentapi.Frame), batchReader{text: text}
	if r.frame(frame); !r.lost && r.atEnd() {
		return frame, nil
	}
	return frames.Read(text)
}

// frame knows those that carry a batch.
func (r *batchReader) frame(into *agentapi.Frame) {
	r.object(func(name string) {
		switch name {
		case "type":
			into.Type = agentapi.FrameType(r.word())
		case "call":
			into.Call = r.int()
		case "metrics":
			r.lost = r.lost || into.Metrics != nil // given twice, the two would mix
			into.Metrics = new(agentapi.MetricsBatch)
			r.batch(into.Metrics)
		default:
			r.lost = true
		}
	})
}

// batchReader walks over JSON; lost says that it met something that it does not know for certain.
type batchReader struct {
	text []byte
	at   int
	lost bool
}

func (r *batchReader) batch(into *agentapi.MetricsBatch) {
	r.object(func(name string) {
		switch name {
		case "stream_id":
			into.StreamID = r.word()
		case "seq":
			into.Seq = r.int()
		case "dropped":
			into.Dropped = r.int()
		case "samples":
			r.lost = r.lost || into.Samples != nil // given twice, the two would mix
			into.Samples = make([]agentapi.Sample, 0, 1+len(r.text)/shortSample)
			r.array(func() {
				into.Samples = append(into.Samples, agentapi.Sample{})
				r.sample(&into.Samples[len(into.Samples)-1])
			})
		default:
			r.lost = true
		}
	})
}

// shortSample is about the length of a short sample; the room for samples follows from it.
const shortSample = 256

func (r *batchReader) sample(into *agentapi.Sample) {
	r.object(func(name string) {
		if name == "observed_at" {
			into.ObservedAt = r.time()
			return
		}
		if name == "traffic" {
			r.traffic(into)
			return
		}
		if name == "sessions" {
			open := r.int()
			into.Sessions = &open
			return
		}
		if name == "listeners" {
			r.listeners(into)
			return
		}
		if f := floatOf(into, name); f != nil {
			*f = r.float()
			return
		}
		if n := intOf(into, name); n != nil {
			*n = r.int()
			return
		}
		r.lost = true
	})
}

func floatOf(s *agentapi.Sample, name string) *float64 {
	switch name {
	case "cpu_pct":
		return &s.CPUPercent
	case "load1":
		return &s.Load1
	case "net_rx_bps":
		return &s.NetRxBps
	case "net_tx_bps":
		return &s.NetTxBps
	case "rx_pps":
		return &s.RxPps
	case "syncookies_ps":
		return &s.SyncookiesPs
	case "listen_drops_ps":
		return &s.ListenDropsPs
	case "interval_s":
		return &s.IntervalSeconds
	}
	return nil
}

func intOf(s *agentapi.Sample, name string) *int64 {
	switch name {
	case "mem_used":
		return &s.MemUsed
	case "mem_total":
		return &s.MemTotal
	case "disk_used":
		return &s.DiskUsed
	case "disk_total":
		return &s.DiskTotal
	case "tcp_established":
		return &s.TCPEstablished
	case "conntrack_count":
		return &s.ConntrackCount
	case "conntrack_max":
		return &s.ConntrackMax
	case "uptime_s":
		return &s.UptimeSeconds
	}
	return nil
}

// mostOfOneSample is what the declaration allows of clients and listeners; the judge refuses more.
const mostOfOneSample = 20_000

func (r *batchReader) traffic(into *agentapi.Sample) {
	r.lost = r.lost || into.Traffic != nil
	into.Traffic = []agentapi.Traffic{}
	r.array(func() {
		var t agentapi.Traffic
		r.object(func(name string) {
			switch name {
			case "kind":
				t.Kind = r.short(texts.WordLimit)
			case "name":
				t.Name = r.short(texts.NameLimit)
			case "up":
				t.Up = r.int()
			case "down":
				t.Down = r.int()
			default:
				r.lost = true
			}
		})
		into.Traffic = append(into.Traffic, t)
		r.lost = r.lost || len(into.Traffic) > mostOfOneSample
	})
}

func (r *batchReader) listeners(into *agentapi.Sample) {
	r.lost = r.lost || into.Listeners != nil
	into.Listeners = []agentapi.Sessions{}
	r.array(func() {
		var s agentapi.Sessions
		r.object(func(name string) {
			switch name {
			case "name":
				s.Name = r.short(texts.NameLimit)
			case "open":
				s.Open = r.int()
			default:
				r.lost = true
			}
		})
		into.Listeners = append(into.Listeners, s)
		r.lost = r.lost || len(into.Listeners) > mostOfOneSample
	})
}

func (r *batchReader) object(member func(name string)) {
	var seen [mostMembers][]byte
	count := 0
	r.list('{', '}', func() {
		name := r.plain()
		r.expect(':')
		if r.lost = r.lost || count == mostMembers || contains(seen[:count], name); !r.lost {
			seen[count] = name
			count++
		}
		if !r.lost {
			member(string(name))
		}
	})
}

// mostMembers is the room for names of one object, a few more than a sample has.
const mostMembers = 32

func contains(names [][]byte, name []byte) bool {
	for _, each := range names {
		if bytes.Equal(each, name) {
			return true
		}
	}
	return false
}

func (r *batchReader) array(item func()) { r.list('[', ']', item) }

func (r *batchReader) list(first, last byte, item func()) {
	r.expect(first)
	if r.peek() == last {
		r.at++
		return
	}
	for !r.lost {
		item()
		if r.peek() == last {
			r.at++
			return
		}
		r.expect(',')
	}
}

// peek gives the next byte that is no white space, 0 at the end.
func (r *batchReader) peek() byte {
	for r.at < len(r.text) {
		switch b := r.text[r.at]; b {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return b
		}
	}
	return 0
}

func (r *batchReader) expect(b byte) {
	if r.peek() != b {
		r.lost = true
		return
	}
	r.at++
}

func (r *batchReader) atEnd() bool { return r.peek() == 0 && r.at == len(r.text) }

// plain reads a text of printable ASCII without escapes, without its quotes.
func (r *batchReader) plain() []byte {
	r.expect('"')
	from := r.at
	for ; r.at < len(r.text); r.at++ {
		switch b := r.text[r.at]; {
		case b == '"':
			r.at++
			return r.text[from : r.at-1]
		case b < ' ' || b > '~' || b == '\\':
			r.lost = true
			return nil
		}
	}
	r.lost = true
	return nil
}

func (r *batchReader) word() string { return string(r.plain()) }

// short leaves to the judge what is longer than its declaration allows.
func (r *batchReader) short(most int) string {
	text := r.plain()
	r.lost = r.lost || len(text) > most
	return string(text)
}

// number reads what is certainly a number of JSON; whole says that it has neither a fraction nor an exponent.
func (r *batchReader) number() (digits []byte, whole bool) {
	r.peek()
	from := r.at
	if r.at < len(r.text) && r.text[r.at] == '-' {
		r.at++
	}
	first := r.at
	r.digits()
	if r.at-first > 1 && r.text[first] == '0' {
		r.lost = true
	}
	if whole = r.at >= len(r.text) || r.text[r.at] != '.'; !whole {
		r.at++
		r.digits()
	}
	if r.at < len(r.text) && (r.text[r.at] == 'e' || r.text[r.at] == 'E') {
		r.lost = true
	}
	return r.text[from:r.at], whole
}

func (r *batchReader) digits() {
	from := r.at
	for r.at < len(r.text) && r.text[r.at] >= '0' && r.text[r.at] <= '9' {
		r.at++
	}
	r.lost = r.lost || r.at == from
}

func (r *batchReader) int() int64 {
	digits, whole := r.number()
	n, err := strconv.ParseInt(string(digits), 10, 64)
	r.lost = r.lost || !whole || err != nil
	return n
}

func (r *batchReader) float() float64 {
	digits, _ := r.number()
	f, err := strconv.ParseFloat(string(digits), 64)
	r.lost = r.lost || err != nil
	return f
}

// time reads RFC 3339 in UTC, the form that agents write.
func (r *batchReader) time() time.Time {
	const shortest = len("2006-01-02T15:04:05Z")
	text := r.plain()
	if r.lost || len(text) < shortest || text[10] != 'T' || text[13] != ':' || text[len(text)-1] != 'Z' ||
		len(text) > shortest && text[19] != '.' || len(text) == shortest+1 {
		r.lost = true
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, string(text))
	r.lost = r.lost || err != nil
	return at
}
