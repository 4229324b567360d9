package logs

import (
	"iter"
	"slices"
	"strings"
)

// wanted tells whether the query asks for the line. A line without a level or a part of the process belongs to all.
func (q Query) wanted(line Line) bool {
	if !line.Time.IsZero() && line.Time.Before(q.Since) {
		return false
	}
	if q.Level != "" && line.Level != "" && slices.Index(levels, line.Level) < slices.Index(levels, levelOf(q.Level)) {
		return false
	}
	switch q.Component {
	case Worker, Scheduler:
		return partOf(line.Component) == q.Component
	}
	return true
}

// narrow tells that only some lines of the process are wanted, so that a place must be read beyond the tail.
func (q Query) narrow() bool {
	return q.Component == Worker || q.Component == Scheduler || q.Level != ""
}

// parts are the words by which loggers of the process say that they work in the background or by the clock.
var parts = map[string]string{
	"worker": Worker, "jobs": Worker, "runner": Worker, "river": Worker, "scheduler": Scheduler, "periodic": Scheduler,
}

func partOf(component string) string {
	found := Backend
	for word := range strings.SplitSeq(component, ".") {
		if part := parts[word]; part != "" {
			found = part
		}
	}
	return found
}

// tailed gives the last lines of a feed that starts earlier, then passes on.
func (q Query) tailed(all iter.Seq2[Line, error]) ([]Line, error) {
	var kept []Line
	for line, err := range all {
		if err != nil {
			return nil, err
		}
		if !q.wanted(line) {
			continue
		}
		kept = append(kept, line)
		if q.Tail > 0 && len(kept) > 2*q.Tail+512 {
			kept = slices.Delete(kept, 0, len(kept)-q.Tail)
		}
	}
	if q.Tail > 0 && len(kept) > q.Tail {
		kept = kept[len(kept)-q.Tail:]
	}
	return kept, nil
}
