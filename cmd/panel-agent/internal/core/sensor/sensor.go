// Package sensor tells of the streams that clients of a core begin, from where and to where, and of what their first
// bytes show. No stream ever waits for whoever listens: what finds no room is counted and left out.
package sensor

import (
	"net/netip"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// mostKept is how many events wait to be taken: those of some minutes of a busy node whose agent is away.
const mostKept = 1 << 16

// What is what an event tells.
type What string

// Events of a stream.
const (
	Began   What = "began"   // a stream was begun
	Reached What = "reached" // datagrams of a stream went to another destination, too
	Showed  What = "showed"  // the first bytes of a stream showed what it is
	Ended   What = "ended"
	Open    What = "open" // a stream was begun before and goes on
)

// Event is one thing that happened to a stream.
type Event struct {
	Number int64  `json:"n"` // rising by one in a core; 0: of no place in the sequence
	What   What   `json:"w"`
	Stream int64  `json:"s"`
	AgeMS  int64  `json:"a,omitempty"` // since it happened, when it was taken
	Email  string `json:"e,omitempty"`
	Tag    string `json:"t,omitempty"` // of the inbound
	Sign   Sign   `json:"g,omitempty"`

	Source netip.Addr `json:"f,omitzero"` // not valid: unknown
	To     To         `json:"d,omitzero"`

	at time.Time
}

// To is what a stream reaches for: a name or an address.
type To struct {
	Host string     `json:"h,omitempty"`
	IP   netip.Addr `json:"i,omitzero"`
	Port uint16     `json:"p,omitempty"`
	UDP  bool       `json:"u,omitempty"`
}

// Sensor is that of one core.
type Sensor struct {
	clock clockwork.Clock

	mu      sync.Mutex
	off     bool
	names   bool
	open    map[int64]*Stream
	events  []Event // that nobody has said to have
	last    int64   // number of the newest event
	streams int64
	lost    int64
}

// New is a sensor that listens from the first stream on, for the agent may ask a moment later.
func New(clock clockwork.Clock) *Sensor { return &Sensor{clock: clock, open: map[int64]*Stream{}} }

// Stream is one stream that is listened to. A nil one is not, and takes all calls.
type Stream struct {
	sensor *Sensor
	begun  Event
	names  bool
}

// Begin tells of a stream; nil while nobody wants to know.
func (s *Sensor) Begin(email, tag string, source netip.Addr, to To) *Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.off {
		return nil
	}
	s.streams++
	begun := Event{What: Began, Stream: s.streams, Email: email, Tag: tag, Source: source, To: to}
	stream := &Stream{sensor: s, begun: begun, names: s.names}
	s.open[begun.Stream] = stream
	s.put(begun)
	return stream
}

// put keeps an event for who takes it. The lock is held.
func (s *Sensor) put(e Event) {
	if s.off || len(s.events) >= mostKept {
		s.lost++
		return
	}
	s.last++
	e.Number, e.at = s.last, s.clock.Now()
	s.events = append(s.events, e)
}

// tell is another event of the stream.
func (st *Stream) tell(e Event) {
	e.Stream, e.Email, e.Tag, e.Source = st.begun.Stream, st.begun.Email, st.begun.Tag, st.begun.Source
	st.sensor.mu.Lock()
	defer st.sensor.mu.Unlock()
	st.sensor.put(e)
}

// End tells that the stream is over; once is enough.
func (st *Stream) End() {
	if st == nil {
		return
	}
	s := st.sensor
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[st.begun.Stream] == nil {
		return
	}
	delete(s.open, st.begun.Stream)
	s.put(Event{What: Ended, Stream: st.begun.Stream})
}

// Order is what an agent asks a core for.
type Order struct {
	Off   bool  `json:"off,omitempty"`   // nobody wants to know; what waits is let go
	Names bool  `json:"names,omitempty"` // streams to addresses are looked at for the names that they ask for
	Fresh bool  `json:"fresh,omitempty"` // streams that are open come first
	Had   int64 `json:"had,omitempty"`   // up to this number nothing is needed any more
	After int64 `json:"after,omitempty"` // events after this number are wanted
	Most  int   `json:"most,omitempty"`
}

// Heard is the answer.
type Heard struct {
	Open   []Event `json:"open,omitempty"`
	Events []Event `json:"events,omitempty"`
	Lost   int64   `json:"lost,omitempty"` // events of this core that have found no room so far
}

// Take does what an order says.
func (s *Sensor) Take(order Order) Heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.off, s.names = order.Off, order.Names
	if order.Off {
		s.events, s.open = nil, map[int64]*Stream{}
		return Heard{}
	}
	s.forget(order.Had)
	heard := Heard{Lost: s.lost}
	if order.Fresh {
		for _, stream := range s.open {
			e := stream.begun
			e.What = Open
			heard.Open = append(heard.Open, e)
		}
	}
	heard.Events = s.after(order.After, order.Most)
	return heard
}

// forget drops events up to a number. The lock is held.
func (s *Sensor) forget(number int64) {
	gone := 0
	for gone < len(s.events) && s.events[gone].Number <= number {
		gone++
	}
	clear(s.events[:gone]) // their texts are not to be held by what is left of the slice
	if s.events = s.events[gone:]; len(s.events) == 0 {
		s.events = nil
	}
}

// after copies events. The lock is held.
func (s *Sensor) after(number int64, most int) []Event {
	from := 0
	if len(s.events) > 0 {
		from = int(min(max(number+1-s.events[0].Number, 0), int64(len(s.events))))
	}
	now := s.clock.Now()
	taken := append([]Event(nil), s.events[from:min(len(s.events), from+most)]...)
	for i := range taken {
		taken[i].AgeMS = max(0, now.Sub(taken[i].at).Milliseconds())
	}
	return taken
}
