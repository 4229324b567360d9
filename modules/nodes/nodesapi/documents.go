package nodesapi

import (
	"context"
	"errors"
)

var (
	// ErrUnknownDocument says that the closed list of documents, in platform/agentapi, has no such name.
	ErrUnknownDocument = errors.New("agents hold no such document")
	// ErrTooLarge says that a document has more than agentapi.MaxDocument bytes.
	ErrTooLarge = errors.New("the document is too large for an agent")
	// ErrUnknownKind says that the closed list of commands, in platform/agentapi, has no such kind.
	ErrUnknownKind = errors.New("agents know no such command")
)

// Document is what a node shall hold under a name. To end what a document asks for, set one that asks for nothing.
type Document struct {
	NodeID  string
	Name    string // of agentapi.DocumentNames, without the configuration, which has Configs
	Content any    // encoded as JSON
}

// States of a document on a node.
const (
	DocumentApplied = "applied" // the agent said that the wanted revision is in force
	DocumentPending = "pending" // it has not said so yet; also for an agent that cannot hold the document
	DocumentFailed  = "failed"  // it could not put the wanted revision into force, and goes on with the one before
)

// DocumentState is what became of a document on one node.
type DocumentState struct {
	NodeID  string
	State   string
	Wanted  int64  // revision
	Applied int64  // revision in force; 0 = none
	Error   string // of DocumentFailed
}

// Documents sets what agents hold. Its calls take part in the context's transaction; the agents learn of a change
// after the commit. A document that an agent cannot hold waits until an update of the agent can: ask Lacking before.
type Documents interface {
	// Set makes documents the wanted ones, at most one for a node and a name. The same content again changes nothing; a
	// node that is gone is left out. Errors: ErrUnknownDocument, ErrTooLarge.
	Set(ctx context.Context, documents ...Document) error
	// States gives what became of a document, by node; a node for which it was never set is not among them.
	States(ctx context.Context, name string, nodeIDs ...string) (map[string]DocumentState, error)
}

// Lacking gives those of the nodes whose agents have not named all of the capabilities.
func Lacking(nodes []Node, capabilities ...string) (lacking []Node) {
	for _, node := range nodes {
		for _, capability := range capabilities {
			if !node.Can(capability) {
				lacking = append(lacking, node)
				break
			}
		}
	}
	return lacking
}
