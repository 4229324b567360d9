package nodes

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/nodes/internal/outlive"
	"panel/modules/nodes/nodesapi"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
	"panel/platform/restored"
)

// keep notes in the database what outlives its restore; the panel that starts next settles it.
func keep(t *testing.T, db *database.DB) func() {
	t.Helper()
	var kept string
	require.NoError(t, db.NewRaw("select ("+outlive.Query+")::text").Scan(t.Context(), &kept))
	return func() {
		note := restored.Note{ID: database.NewID(), Artefact: "panel-1", Kept: map[string]json.RawMessage{
			"nodes": json.RawMessage(kept),
		}}
		text, err := note.SQL()
		require.NoError(t, err)
		_, err = db.ExecContext(t.Context(), text)
		require.NoError(t, err)
	}
}

func outcome(t *testing.T, db *database.DB) (out restored.Outcome) {
	t.Helper()
	outcomes, err := restored.Outcomes(t.Context(), db)
	require.NoError(t, err)
	require.Len(t, outcomes, 1)
	for _, one := range outcomes {
		out = *one
	}
	return out
}

func (p *ports) serve(t *testing.T, nodeID, content string) nodesapi.Config {
	t.Helper()
	candidate := nodesapi.Candidate{NodeID: nodeID, Core: json.RawMessage(content)}
	stored, err := p.configs.PutCandidates(t.Context(), candidate)
	require.NoError(t, err)
	_, err = p.configs.SetDesired(t.Context(), map[string]int64{nodeID: stored[0].Revision})
	require.NoError(t, err)
	return stored[0]
}

// "sets desired revisions above any that an agent reports and shows differences as drift".
func TestDesiredRevisionsAreAboveThoseOfAgentsAfterARestore(t *testing.T) {
	t.Parallel()
	p, with := asked(t)
	changed, same, fresh := p.Enroll("changed"), p.Enroll("same"), p.Enroll("fresh")
	first := with.serve(t, changed.NodeID, `{"n":1}`)
	untouched := with.serve(t, same.NodeID, `{"n":1}`)
	with.setBlocks(t, changed.NodeID, "first")
	for n := range 3 {
		with.serve(t, changed.NodeID, `{"n":`+string(rune('2'+n))+`}`)
	}
	with.setBlocks(t, changed.NodeID, "second")
	with.setBlocks(t, changed.NodeID, "third")
	with.serve(t, fresh.NodeID, `{"n":1}`)
	restore := keep(t, p.DB)
	for _, older := range []string{
		"update nodes set desired_revision = 1, desired_hash = '" + first.Hash + "' where id = '" + changed.NodeID + "'",
		"delete from node_configs where revision > 1",
		"update node_documents set revision = 1, hash = (select hash from node_document_contents where used_at = " +
			"(select min(used_at) from node_document_contents))",
		"update nodes set desired_revision = 0, desired_hash = '', desired_at = null where id = '" + fresh.NodeID + "'",
		"delete from node_configs where node_id = '" + fresh.NodeID + "'",
	} {
		_, err := p.DB.ExecContext(t.Context(), older)
		require.NoError(t, err)
	}
	restore()
	after, _ := asked(t, paneltest.On(p.DB))
	require.Equal(t, 2, outcome(t, p.DB).Raised)

	reply := changed.At(after).Beat(func(b *agentapi.Heartbeat) { b.Core.ConfigRevision = 4 })
	require.EqualValues(t, 5, reply.DesiredRevision)
	require.Equal(t, first.Hash, reply.DesiredHash, "what the backup says")
	var config agentapi.NodeConfig
	changed.At(after).Get("/agent/v1/config?revision=5").Is(http.StatusOK).JSON(&config)
	require.JSONEq(t, `{"n":1}`, string(config.Core))
	require.EqualValues(t, 4, reply.Documents[0].Revision)
	require.JSONEq(t, `"first"`, string(documentOf(t, changed.At(after)).Content))

	require.Equal(t, untouched.Revision, same.At(after).Beat().DesiredRevision, "nothing differs")
	empty := fresh.At(after).Beat()
	require.EqualValues(t, 2, empty.DesiredRevision, "the panel knows of nothing that this server shall serve")
	config = agentapi.NodeConfig{}
	fresh.At(after).Get("/agent/v1/config?revision=2").Is(http.StatusOK).JSON(&config)
	require.False(t, config.HasCore())
}

// "nodes enrolled since are listed": new ones, and those that were enrolled again.
func TestServersEnrolledSinceABackupAreListed(t *testing.T) {
	t.Parallel()
	p, _ := asked(t)
	known, fresh, again := p.Enroll("known"), p.Enroll("fresh"), p.Enroll("again")
	waiting := p.As("nodes.edit").AddNode("waits")
	restore := keep(t, p.DB)
	for _, older := range []string{
		"delete from nodes where id in ('" + fresh.NodeID + "', '" + waiting + "')",
		"update nodes set enrolled_at = enrolled_at - interval '1 day' where id = '" + again.NodeID + "'",
	} {
		_, err := p.DB.ExecContext(t.Context(), older)
		require.NoError(t, err)
	}
	restore()
	after, _ := asked(t, paneltest.On(p.DB))
	listed := outcome(t, p.DB).EnrolledSince
	require.Len(t, listed, 2)
	require.Equal(t, []string{"again", "fresh"}, []string{listed[0].Name, listed[1].Name})
	require.Equal(t, fresh.NodeID, listed[1].ID)
	require.NotNil(t, listed[1].EnrolledAt)
	known.At(after).Beat()
}
