package proxypanelapi

import "context"

// Host is what leads users of a proxy panel to an entry of a flow on a node of ours.
type Host struct {
	ID    string // uuid of ours; it stays as long as the host does
	Name  string // as its users see it
	Panel string // label of the connection
	// Spare says that each group of users who see it sees another one as well, which leads to a node that is connected
	// there.
	Spare bool
}

// Hiding is how far it has come to hide hosts.
type Hiding struct {
	Waits   int      // hosts that are still to be hidden
	Hidden  []string // ids of those that are, sorted; those that somebody else hides are not among them
	Problem string   // why the last try failed, in English; empty: it did not
}

// Hosts are those that the panel has made at proxy panels. Hide and Show are promises that commit with the context's
// transaction; the proxy panels are asked after it, again and again until what was promised holds. What somebody else
// hides or shows meanwhile stays as that person has left it.
type Hosts interface {
	// Shown gives the hosts that lead to nodes of ours and are shown, as far as is known here; it asks nobody.
	Shown(ctx context.Context, nodeIDs ...string) (map[string][]Host, error)
	// Hide has hosts of a node hidden for a reason, a word of the caller's that is used once.
	Hide(ctx context.Context, why, nodeID string, hostIDs ...string) error
	// Hiding says how far that has come.
	Hiding(ctx context.Context, why string) (Hiding, error)
	// Show has shown again what was hidden for a reason.
	Show(ctx context.Context, why string) error
}
