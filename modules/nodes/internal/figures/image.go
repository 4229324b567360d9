package figures

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"
)

// image is the newest readings of the fleet as they are sent, encoded once for all viewers.
type image struct {
	at      time.Time
	version int64 // rises with each reading that is new
	rows    map[string]*row
	whole   []byte // fleet and regions, without the end of the frame
}

// row is one node as it stands in a frame.
type row struct {
	at      time.Time
	version int64
	text    []byte
}

// part is the fleet or a region of it in a frame.
type part struct {
	Total   int            `json:"total"`
	States  map[string]int `json:"states"`
	Figures Figures        `json:"figures"`

	sums sums
}

type regionPart struct {
	Region string `json:"region"`
	*part
}

func newPart() *part { return &part{States: map[string]int{}} }

func (p *part) count(r *reading, measured bool) {
	p.Total++
	p.States[r.state]++
	if !measured {
		return
	}
	one := sums{Nodes: 1, Rx: r.rx, Tx: r.tx, CPU: r.cpu, Oldest: &r.at}
	if r.sessions >= 0 {
		one.Sessions = &r.sessions
	}
	p.sums.add(one)
}

// take renews the image; only what is new is encoded.
func (i *image) take(readings []reading, now time.Time) {
	before := i.rows
	i.at, i.rows = now, make(map[string]*row, len(readings))
	fleet := newPart()
	regions := []regionPart{}
	for at := range readings {
		r := &readings[at]
		i.rows[r.id] = i.row(before[r.id], r)
		if last := len(regions); last == 0 || regions[last-1].Region != r.region {
			regions = append(regions, regionPart{r.region, newPart()})
		}
		measured := r.at.After(now.Add(-StaleAfter))
		fleet.count(r, measured)
		regions[len(regions)-1].count(r, measured)
	}
	i.whole = begun(now, fleet, largest(regions))
}

// mostRegions bounds what every frame repeats.
const mostRegions = 100

func largest(regions []regionPart) []regionPart {
	if len(regions) <= mostRegions {
		return regions
	}
	slices.SortStableFunc(regions, func(a, b regionPart) int { return b.Total - a.Total })
	return regions[:mostRegions]
}

func (i *image) row(known *row, r *reading) *row {
	if known != nil && known.at.Equal(r.at) {
		return known
	}
	i.version++
	return &row{at: r.at, version: i.version, text: r.encode()}
}

// begun encodes all of a frame but its nodes.
func begun(now time.Time, fleet *part, regions []regionPart) []byte {
	fleet.Figures = fleet.sums.figures()
	for at := range regions {
		regions[at].Figures = regions[at].sums.figures()
	}
	text, _ := json.Marshal(struct {
		Kind       string       `json:"kind"`
		At         time.Time    `json:"at"`
		Interval   int          `json:"interval_s"`
		StaleAfter int          `json:"stale_after_s"`
		Fleet      *part        `json:"fleet"`
		Regions    []regionPart `json:"regions"`
	}{
		KindMetrics, now, int(every / time.Second), int(StaleAfter / time.Second), fleet, regions,
	}) // finite numbers always encode; others were refused
	return append(text[:len(text)-1], `,"nodes":[`...)
}

// KindMetrics is the event kind of the frames.
const KindMetrics = "node.metrics"

// encode is [id, time, sessions, net_rx_bps, net_tx_bps, cpu_pct, mem_pct]: whole bits and tenths of percents are finer
// than what a screen shows.
func (r *reading) encode() []byte {
	text := append(make([]byte, 0, 96), '[', '"')
	text = append(append(text, r.id...), '"', ',')
	text = append(strconv.AppendInt(text, r.at.Unix(), 10), ',')
	if r.sessions < 0 {
		text = append(text, "null"...)
	} else {
		text = strconv.AppendInt(text, r.sessions, 10)
	}
	for _, bits := range [...]float64{r.rx, r.tx} {
		text = strconv.AppendInt(append(text, ','), int64(math.Round(bits)), 10)
	}
	for _, percent := range [...]float64{r.cpu, r.mem} {
		text = strconv.AppendFloat(append(text, ','), math.Round(10*percent)/10, 'f', -1, 64)
	}
	return append(text, ']')
}
