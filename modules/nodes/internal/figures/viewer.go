package figures

import (
	"bytes"
	"cmp"
	"slices"
	"time"
)

// viewer is one who watches, with how far he has seen.
type viewer struct {
	feed *Feed
	wake func()
	all  bool
	ids  []string

	sent time.Time // the image of the last frame
	seen int64     // the newest reading in it
}

// Next gives the newest image as far as the viewer has not seen it. Readings that do not fit come with the next frame;
// those that are renewed until then come once.
func (v *viewer) Next() []byte {
	v.feed.mu.Lock()
	defer v.feed.mu.Unlock()
	i := &v.feed.image
	if i.at.IsZero() || !i.at.After(v.sent) {
		return nil
	}
	pause := min(every, i.at.Sub(v.sent))
	v.sent = i.at
	budget := int(mostPerSecond*pause.Seconds()) - len(i.whole)
	frame := append(slices.Clone(i.whole), bytes.Join(v.news(i, budget), []byte{','})...)
	return append(frame, ']', '}')
}

// news are the rows that fit, the oldest first.
func (v *viewer) news(i *image, budget int) [][]byte {
	fresh := v.fresh(i)
	slices.SortFunc(fresh, func(a, b *row) int { return cmp.Compare(a.version, b.version) })
	rows := make([][]byte, 0, len(fresh))
	for _, r := range fresh {
		if budget -= len(r.text) + 1; budget < 0 {
			return rows
		}
		rows = append(rows, r.text)
		v.seen = r.version
	}
	v.seen = i.version
	return rows
}

// fresh are the rows of the watched nodes that the viewer has not seen; a node that was never measured has none.
func (v *viewer) fresh(i *image) (rows []*row) {
	keep := func(r *row) {
		if r != nil && r.version > v.seen && r.at.Unix() > 0 {
			rows = append(rows, r)
		}
	}
	if v.all {
		for _, r := range i.rows {
			keep(r)
		}
		return rows
	}
	for _, id := range v.ids {
		keep(i.rows[id])
	}
	return rows
}
