package flows_test

import (
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"panel/modules/flows"
	"panel/modules/flows/internal/plan"
)

// What people did to a revision, and what the panel told them.
const (
	readIt  = "read"   // the answer is the revision
	wroteIt = "wrote"  // the answer is the new revision
	fitting = "fits"   // what was sent belongs to the revision
	behind  = "behind" // what was sent belongs to another one
)

// act is one request about one of the two revisions of a flow: that of its draft or the installed one.
type act struct {
	of, did string
	sent    int
}

// history is what many clients did, in an order that a common counter gives.
type history struct {
	clock atomic.Int64
	mu    sync.Mutex
	ops   []porcupine.Operation
}

// did notes a request that began at a moment of the counter and has ended now.
func (h *history) did(client int, began int64, a act, answer int) {
	ended := h.clock.Add(1)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ops = append(h.ops, porcupine.Operation{ClientId: client, Input: a, Call: began, Output: answer, Return: ended})
}

// revisions is what a flow's revisions promise: each request sees and changes them at one moment between its beginning
// and its end, a draft is saved over the revision that was sent and over no other, and an apply is let in at the
// draft's revision alone.
func revisions(first map[string]int) porcupine.Model {
	return porcupine.Model{
		Partition: func(ops []porcupine.Operation) [][]porcupine.Operation {
			parts := map[string][]porcupine.Operation{}
			for _, op := range ops {
				of := op.Input.(act).of //nolint:forcetypeassert // nothing else is noted
				parts[of] = append(parts[of], op)
			}
			return [][]porcupine.Operation{parts["draft"], parts["installed"]}
		},
		Init: func() any { return -1 },
		Step: func(state, input, output any) (bool, any) {
			held, a, answer := state.(int), input.(act), output.(int) //nolint:forcetypeassert // as above
			if held < 0 {
				held = first[a.of]
			}
			switch a.did {
			case readIt:
				return answer == held, held
			case wroteIt:
				return a.of == "installed" || a.sent == held && answer == held+1, answer
			case fitting:
				return a.sent == held, held
			default:
				return a.sent != held, held
			}
		},
	}
}

// R3: eight clients save, read and apply one flow at once, with force and without. Every history can be put in an order
// in which each request did what it said; an apply of an older revision is always refused, also with force.
func TestRevisionsOfAFlowAreLinearizable(t *testing.T) {
	t.Parallel()
	s := setup(t)
	histories := 2
	if os.Getenv("PANEL_TEST_SOAK") != "" {
		histories = 1000
	}
	port := new(atomic.Int64)
	port.Store(3000)
	for range histories {
		f, h := s.get(), new(history)
		first := map[string]int{"draft": f.DraftRevision, "installed": 0}
		if f.InstalledRevision != nil {
			first["installed"] = *f.InstalledRevision
		}
		var all sync.WaitGroup
		for client := range 8 {
			all.Go(func() {
				for round := range 3 {
					s.change(h, client, int(port.Add(1)))
					s.read(h, client)
					s.put(h, client, round%2 == 0)
					s.read(h, client)
				}
			})
		}
		all.Wait()
		result := porcupine.CheckOperationsTimeout(revisions(first), h.ops, 30*time.Second)
		require.Equal(t, porcupine.Ok, result, "%+v", h.ops)
	}
}

func (s *stage) read(h *history, client int) {
	began := h.clock.Add(1)
	f := s.get()
	h.did(client, began, act{of: "draft", did: readIt}, f.DraftRevision)
	if f.InstalledRevision != nil {
		h.did(client, began, act{of: "installed", did: readIt}, *f.InstalledRevision)
	}
}

// change saves over the revision that was read a moment ago, which others may have moved on.
func (s *stage) change(h *history, client, port int) {
	sent, began := s.get().DraftRevision, h.clock.Add(1)
	saved := s.admin.Put(s.path("/draft"), map[string]any{"revision": sent, "graph": s.drawing(port)})
	var d flows.Draft
	switch saved.Status {
	case 200:
		saved.JSON(&d)
		h.did(client, began, act{of: "draft", did: wroteIt, sent: sent}, d.Revision)
	default:
		saved.Refused(409, "revision_conflict")
		h.did(client, began, act{of: "draft", did: behind, sent: sent}, 0)
	}
}

// put applies what was compiled a moment ago.
func (s *stage) put(h *history, client int, force bool) {
	var p plan.Plan
	s.admin.Post(s.path("/plan/compile"), nil).Is(201).JSON(&p)
	began := h.clock.Add(1)
	answer := s.admin.Post(s.path("/apply?wait=0"), order(p, force))
	switch {
	case answer.Status == 200:
		h.did(client, began, act{of: "draft", did: fitting, sent: p.Revision}, 0)
		if s.ended(answer.Text("apply_id")).State == "applied" {
			h.did(client, began, act{of: "installed", did: wroteIt}, p.Revision)
		}
	case answer.Text("code") == "plan_revision_conflict":
		h.did(client, began, act{of: "draft", did: behind, sent: p.Revision}, 0)
	}
}
