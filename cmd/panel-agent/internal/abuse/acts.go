package abuse

import (
	"context"
	"errors"
	"strings"
	"time"

	"panel/cmd/panel-agent/internal/abuse/record"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

const (
	usualLines = 200
	mostLines  = 1000
)

// clientOf is the client that a user_ref names.
func clientOf(ref string) (string, error) {
	id, is := strings.CutPrefix(ref, agentapi.RefOfClient(""))
	if !is || id == "" {
		return "", part.Coded(agentapi.CodeBadArgs, errors.New("the user is none of the panel's own clients (c:<id>)"))
	}
	return id, nil
}

// drop ends the streams of a client. A core that was killed meanwhile carries none.
func drop(cores interface {
	Drop(ctx context.Context, clientID, flowID string) (streams, sources int, err error)
},
) func(context.Context, agentapi.DropSessionsArgs) (agentapi.DropSessionsData, error) {
	return func(ctx context.Context, args agentapi.DropSessionsArgs) (agentapi.DropSessionsData, error) {
		id, err := clientOf(args.UserRef)
		if err != nil {
			return agentapi.DropSessionsData{}, err
		}
		var data agentapi.DropSessionsData
		data.Streams, data.Sources, err = cores.Drop(ctx, id, args.FlowID)
		return data, err
	}
}

// finder answers from the record, in the panel's time.
func finder(
	kept *record.Record, skew func() time.Duration,
) func(context.Context, agentapi.FindConnectionsArgs) (agentapi.FindConnectionsData, error) {
	return func(_ context.Context, args agentapi.FindConnectionsArgs) (agentapi.FindConnectionsData, error) {
		data := agentapi.FindConnectionsData{Lines: []agentapi.ConnectionLine{}}
		if args.From.IsZero() || args.To.Before(args.From) {
			return data, part.Coded(agentapi.CodeBadArgs, errors.New("the span of time has no beginning, or ends before it"))
		}
		by := skew()
		query := record.Query{
			From: args.From.Add(-by), To: args.To.Add(-by), Dest: args.Dest, Port: args.Port, Flows: args.FlowIDs,
			Most: min(mostLines, args.Limit),
		}
		if query.Most <= 0 {
			query.Most = usualLines
		}
		if args.UserRef != "" {
			var err error
			if query.Client, err = clientOf(args.UserRef); err != nil {
				return data, err
			}
		}
		if since, there := kept.Since(); there {
			data.Since = since.Add(by).UTC()
		}
		lines, more, err := kept.Find(&query)
		data.More = more
		for i := range lines {
			data.Lines = append(data.Lines, lineOf(&lines[i], by))
		}
		return data, err
	}
}

func lineOf(l *record.Line, by time.Duration) agentapi.ConnectionLine {
	network := agentapi.TCP
	if l.UDP {
		network = agentapi.UDP
	}
	return agentapi.ConnectionLine{
		Minute: l.Minute.Add(by).Truncate(time.Minute).UTC(), UserRef: agentapi.RefOfClient(l.Client), FlowID: l.Flow,
		Network: network, Dest: l.Dest, Port: int(l.Port), Count: l.Count,
	}
}
