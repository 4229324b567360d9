package audit

import (
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"panel/platform/database"
)

const (
	// writerLife is how long one writer takes numbers; retention forgets writers that are much older.
	writerLife = 30 * 24 * time.Hour
	// forgetWriter leaves time in which a writer that is too old waits for a moment without pending entries.
	forgetWriter = 3 * writerLife
)

// pending is an entry whose end is not known yet: its transaction may be undone, or it is not sealed.
type pending struct {
	Number int64  `json:"number"`
	ID     string `json:"id"`
	Mark   []byte `json:"mark"`
	Tx     int64  `json:"tx"` // the transaction in the database; 0 until the entry was inserted

	undone bool
}

// numbers gives the entries of this process their numbers and remembers each until it is sealed or its transaction was
// undone. A witness in the data folder knows the same after a crash.
type numbers struct {
	data string
	log  *zap.Logger

	mu      sync.Mutex
	writer  string
	since   time.Time
	last    int64
	pending map[int64]*pending
	witness *witness
}

func newNumbers(data string, log *zap.Logger) *numbers {
	return &numbers{data: data, log: log, pending: map[int64]*pending{}}
}

// take numbers the rows. A number is pending from now on.
func (n *numbers) take(rows []Row, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.writer == "" || now.Sub(n.since) > writerLife && len(n.pending) == 0 {
		n.begin(now)
	}
	for i := range rows {
		n.last++
		rows[i].Writer, rows[i].Number = n.writer, n.last
		n.pending[n.last] = &pending{Number: n.last, ID: rows[i].ID}
	}
}

// begin makes a new writer. Without a witness the panel goes on: only what a crash leaves open is then unproven.
func (n *numbers) begin(now time.Time) {
	n.witness.remove()
	n.writer, n.since, n.last = database.NewID(), now, 0
	var err error
	if n.witness, err = newWitness(n.data, n.writer); err != nil {
		n.log.Warn("journal entries of the last second before a crash cannot be proved, "+
			"because the data folder takes no file", zap.Error(err))
	}
}

// inserted notes the transaction of the rows, before it can be committed.
func (n *numbers) inserted(rows []Row, tx int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	written := make([]*pending, 0, len(rows))
	for _, row := range rows {
		if p := n.pending[row.Number]; p != nil && row.Writer == n.writer {
			p.Mark, p.Tx = row.Mark, tx
			written = append(written, p)
		}
	}
	if err := n.witness.add(written); err != nil {
		n.log.Warn("a journal entry has no witness in the data folder", zap.Error(err))
	}
}

// refused notes that the rows were never inserted.
func (n *numbers) refused(rows []Row) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, row := range rows {
		if p := n.pending[row.Number]; p != nil && row.Writer == n.writer {
			p.undone = true
		}
	}
}

// open are the writer and its pending entries.
func (n *numbers) open() (writer string, list []pending) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, number := range slices.Sorted(maps.Keys(n.pending)) {
		list = append(list, *n.pending[number])
	}
	return n.writer, list
}

// settled forgets numbers whose end is known.
func (n *numbers) settled(done []int64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, number := range done {
		delete(n.pending, number)
	}
	below := n.last
	left := make([]*pending, 0, len(n.pending))
	for _, number := range slices.Sorted(maps.Keys(n.pending)) {
		below = min(below, number-1)
		if p := n.pending[number]; p.Tx != 0 {
			left = append(left, p)
		}
	}
	if err := n.witness.rewrite(below, left); err != nil {
		n.log.Warn("the witness of the journal in the data folder could not be shortened", zap.Error(err))
	}
}

// close ends the writer of a process that stops. What is still pending stays in the witness for the next process.
func (n *numbers) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.pending) == 0 {
		n.witness.remove()
	} else {
		n.witness.close()
	}
	n.witness, n.writer = nil, ""
	clear(n.pending)
}
