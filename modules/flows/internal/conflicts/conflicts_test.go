package conflicts_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/conflicts"
	"panel/modules/flows/internal/plan"
	"panel/platform/fault"
)

// A port that is taken comes first: no other path or domain helps there.
func TestOneAnswerForSeveralConflicts(t *testing.T) {
	t.Parallel()
	name := plan.Conflict{Kind: plan.ConflictPath, Host: "fra.example.org", Path: "nodes[0].params.listener.path"}
	port := plan.Conflict{Kind: plan.ConflictPort}
	require.Equal(t, conflicts.Domain, conflicts.Code([]plan.Conflict{name, {Kind: plan.ConflictDomain}}))
	require.Equal(t, conflicts.Port, conflicts.Code([]plan.Conflict{name, port}))
	require.ErrorContains(t, conflicts.Fault([]plan.Conflict{port}), "port_conflict")
	require.ErrorContains(t, conflicts.Fault([]plan.Conflict{name}), "domain_conflict")
	require.Equal(t, fault.KindConflict, fault.KindOf(conflicts.Fault([]plan.Conflict{name})))
}

// A plan names the code with which the apply will be refused.
func TestObstaclesHaveTheCodeOfTheRefusal(t *testing.T) {
	t.Parallel()
	port := conflicts.Obstacle(plan.Conflict{Kind: plan.ConflictPort}, "fra-01")
	require.Equal(t, []string{conflicts.Port, conflicts.Port}, []string{port.Code, port.Finding.Code})
	whole := conflicts.Obstacle(plan.Conflict{Kind: plan.ConflictDomain, Host: "fra.example.org"}, "fra-01")
	require.Equal(t, []string{conflicts.Domain, "domain"}, []string{whole.Code, whole.Finding.Code})
	require.Equal(t, map[string]string{"node": "fra-01", "host": "fra.example.org"}, whole.Finding.Params)
	require.Equal(t, "stage_blocked", conflicts.StageCode(plan.Check{}))
}

// Only the checks about records are this conflict.
func TestRecordsOfSomebodyElse(t *testing.T) {
	t.Parallel()
	other := plan.Check{Finding: plan.Say("unpaid", "")}
	require.NoError(t, conflicts.RecordFault([]plan.Check{other}))
	found := plan.Check{Finding: plan.Say("record_conflict", "", "host", "fra.example.org")}
	require.ErrorContains(t, conflicts.RecordFault([]plan.Check{other, found}), "record_conflict")
}
