package record

import (
	"bytes"
	"cmp"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query says what is sought. What is empty or zero is not asked for.
type Query struct {
	From, To time.Time
	Dest     string // address, network or name
	Port     int
	Flows    []string
	Client   string
	Most     int
}

// Find gives the lines of a span of time that fit, the newest first, and whether there are more.
func (r *Record) Find(q *Query) (found []Line, more bool, err error) {
	fits := q.matcher()
	sums := map[Line]int{} // the parts of one minute become one line
	err = r.search(q.From, q.To, func(text []byte) {
		if !fits.quick(text) {
			return
		}
		if line, fine := parse(text); fine && fits.line(&line) {
			count := line.Count
			line.Count = 0
			if sums[line] += count; len(sums) > q.Most+mostBeyond {
				fits.from = shorten(sums, q.Most)
				more = true
			}
		}
	})
	if err != nil {
		return nil, false, err
	}
	for line, count := range sums {
		line.Count = count
		found = append(found, line)
	}
	slices.SortFunc(found, func(a, b Line) int {
		return cmp.Or(b.Minute.Compare(a.Minute), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Dest, b.Dest),
			cmp.Compare(a.Port, b.Port))
	})
	if len(found) > q.Most {
		return found[:q.Most], true, nil
	}
	return found, more, nil
}

// mostBeyond is how many lines more than are wanted a search holds before it lets go the oldest.
const mostBeyond = 20_000

// shorten leaves the newest lines and gives the minute of the oldest of them.
func shorten(sums map[Line]int, most int) int64 {
	minutes := make([]int64, 0, len(sums))
	for line := range sums {
		minutes = append(minutes, minuteOf(line.Minute))
	}
	slices.Sort(minutes)
	oldest := minutes[max(0, len(minutes)-most)]
	kept := 0
	for line := range sums {
		at := minuteOf(line.Minute)
		if at < oldest || at == oldest && kept >= most {
			delete(sums, line)
			continue
		}
		if at == oldest {
			kept++
		}
	}
	return oldest
}

// matcher is a query in the form in which lines are compared with it.
type matcher struct {
	*Query

	from, to int64 // minutes
	network  netip.Prefix
	host     string
	part     []byte // that a line must have
}

func (q *Query) matcher() *matcher {
	m := &matcher{Query: q, from: minuteOf(q.From), to: minuteOf(q.To)}
	switch {
	case q.Client != "":
		m.part = []byte("\t" + q.Client + "\t")
	case q.Port != 0:
		m.part = []byte("\t" + strconv.Itoa(q.Port) + "\t")
	}
	if q.Dest == "" {
		return m
	}
	if addr, err := netip.ParseAddr(q.Dest); err == nil {
		addr = addr.Unmap()
		m.network = netip.PrefixFrom(addr, addr.BitLen())
		m.part = []byte("\t" + addr.String() + "\t")
		return m
	}
	if network, err := netip.ParsePrefix(q.Dest); err == nil {
		m.network = network.Masked()
		return m
	}
	m.host = strings.ToLower(strings.TrimSuffix(q.Dest, "."))
	m.part = []byte(m.host)
	return m
}

// quick rules out most lines at little cost.
func (m *matcher) quick(text []byte) bool { return m.part == nil || bytes.Contains(text, m.part) }

func (m *matcher) line(l *Line) bool {
	minute := minuteOf(l.Minute)
	switch {
	case minute < m.from, minute > m.to:
		return false
	case m.Port != 0 && int(l.Port) != m.Port, m.Client != "" && l.Client != m.Client:
		return false
	case len(m.Flows) > 0 && !slices.Contains(m.Flows, l.Flow):
		return false
	case m.host != "":
		return l.Dest == m.host || strings.HasSuffix(l.Dest, "."+m.host)
	case m.network.IsValid():
		addr, err := netip.ParseAddr(l.Dest)
		return err == nil && m.network.Contains(addr)
	}
	return true
}
