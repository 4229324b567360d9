package updates

import (
	"context"

	"panel/modules/nodes/nodesapi"
	"panel/platform/database"
	"panel/platform/release"
)

// updateStates says of each agent that is not current whether an update of it goes on, did not succeed, or is
// available. Nodes show it as the state of their agent's update.
func (s *service) updateStates(ctx context.Context, versions map[string]string) (map[string]string, error) {
	states := map[string]string{}
	newest := ""
	if b, _ := s.builds.newest(ctx); b != nil {
		newest = b.Version
	}
	ids := make([]string, 0, len(versions))
	for id, version := range versions {
		ids = append(ids, id)
		if newest != "" && release.Compare(version, newest) < 0 {
			states[id] = nodesapi.UpdateAvailable
		}
	}
	tried, err := s.tried(ctx, ids, newest)
	for id, state := range tried {
		switch {
		case plain(state) == updating:
			states[id] = nodesapi.UpdateRunning
		case state == failed && states[id] != "":
			states[id] = nodesapi.UpdateFailed
		}
	}
	return states, err
}

// tried gives what became of the nodes in rollouts that go on or brought the version, in the newest of them.
func (s *store) tried(ctx context.Context, ids []string, version string) (map[string]string, error) {
	var rows []struct{ NodeID, State string }
	args := new(database.Arguments)
	q := s.db.NewRaw(`select distinct on (t.node_id) t.node_id, t.state
		from agent_rollouts o join agent_rollout_nodes t on t.rollout_id = o.id
		where (o.finished_at is null or o.version = ?) and t.node_id = any(?::uuid[]) and t.state = any(?)
		order by t.node_id, o.started_at desc, o.id desc`,
		args.Add(version), args.Add(ids), args.Add([]string{ordering, updating, done, failed}))
	err := database.Read(ctx, s.db, &rows, q, args)
	states := make(map[string]string, len(rows))
	for _, row := range rows {
		states[row.NodeID] = row.State
	}
	return states, database.Fault(err, nil)
}
