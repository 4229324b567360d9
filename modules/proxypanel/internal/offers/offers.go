// Package offers puts entries of flows at proxy panels: the node there runs an inbound of ours, some squads get it, and
// a host leads their users to it.
//
// What shall be there is in rows of our own, sealed, with what was before; a pass makes the other panel so. So that
// whoever goes on after a panel that died makes nothing twice and leaves nothing behind, each object is noted before it
// is asked for and found again by its mark: the name of a profile, the tag of an inbound, the tag of a host. What
// others have made or changed there is never overwritten or removed; it is an error that names it.
//
// All writes at one proxy panel are serialised over all panels on the database (writer.go).
package offers

import (
	"context"
	"encoding/base32"
	"time"

	"github.com/google/uuid"
	"github.com/jonboulle/clockwork"

	"panel/modules/proxypanel/internal/mapping"
	"panel/modules/proxypanel/internal/profile"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/vault"
)

// Connection is a proxy panel that may be asked.
type Connection struct {
	ID, Label string
	Client    *remnawave.Client
}

// Wanted is what an apply wants a proxy panel to run for one entry.
type Wanted struct {
	Block, NodeID, ConnectionID string
	Content
}

// Content is what is put there for one entry. It holds secrets.
type Content struct {
	Part     profile.Part `json:"part"`
	Endpoint Endpoint     `json:"endpoint"`
	Squads   []string     `json:"squads"`
}

// Endpoint is where users connect, as a host says it.
type Endpoint struct {
	Remark  string `json:"remark"`
	Address string `json:"address"`
	Port    int    `json:"port"`
	SNI     string `json:"sni"`
	Path    string `json:"path"`
	L4      string `json:"l4"`
}

// Tools are what an engine works with.
type Tools struct {
	DB       *database.DB
	Vault    *vault.Vault
	Bus      *events.Bus
	Clock    clockwork.Clock
	Mappings *mapping.Store
	Shadow   *shadow.Shadow
	// Open gives a client, to be closed. Fault: not_found (404).
	Open func(ctx context.Context, connectionID string) (Connection, error)
	// Usable says in a word what is wrong with a connection at its last look, empty where nothing is, and its label.
	Usable func(ctx context.Context, connectionID string) (label, cause string, err error)
	// Served gives what an apply wants, none for one that takes the flow off its nodes.
	Served func(ctx context.Context, applyID string) ([]Part, error)
}

// Part is what the node of a proxy panel runs for one entry of a flow.
type Part struct {
	Block, NodeID, ConnectionID string
	SquadIDs                    []string // whose users may use it
	Remark                      string   // that they see; empty: the name of the flow
	profile.Part
}

// Engine makes, changes and removes what stands at proxy panels.
type Engine struct {
	Tools
	rows *rows
}

// New makes an engine.
func New(tools Tools) *Engine { return &Engine{tools, &rows{tools.DB, tools.Vault}} }

func (e *Engine) now() time.Time { return e.Clock.Now().UTC().Truncate(time.Microsecond) }

// markOf is the tag of a host of ours: the id in base32, as a tag holds no more than 36 of A-Z0-9_:.
func markOf(id string) string {
	parsed, err := uuid.Parse(id)
	if err != nil {
		return ""
	}
	return "MANAGED:" + base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(parsed[:])
}
