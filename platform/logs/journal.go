package logs

import (
	"context"
	"iter"

	"panel/platform/doctor"
)

func (p Places) journal(context.Context, Query) (feed, Source, []doctor.Text) {
	return nil, Source{}, []doctor.Text{doctor.Say("no system journal")}
}

var _ iter.Seq2[Line, error]
