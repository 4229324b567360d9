package audit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyDeclaredKindsEnterTheJournal(t *testing.T) {
	t.Parallel()
	s := &Store{}
	unknown := Entry{Action: "node.creatd", Object: Object{Type: "node"}}
	require.NoError(t, s.declared(unknown), "a tool that declares nothing may write everything")
	s.Declare(Kinds{Actions: []string{"node.created"}, Objects: []string{"node"}}.
		With(Kinds{Actions: []string{"node.created", "node.deleted"}}))
	require.Equal(t, []string{"node.created", "node.deleted"}, s.kinds.Actions)
	require.ErrorContains(t, s.declared(unknown), "node.creatd: no module declares this action")
	require.ErrorContains(t, s.declared(Entry{Action: "node.created", Object: Object{Type: "nod"}}), "object type nod")
	require.NoError(t, s.declared(Entry{Action: "node.created", Object: Object{Type: "node"}}))
	require.NoError(t, s.declared(Entry{Action: "node.deleted"}))
}
