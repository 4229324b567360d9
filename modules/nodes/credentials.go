package nodes

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// Tokens are 256 random bits; only their digest is stored, so comparing is a look-up that tells nothing by its time.
const (
	agentPrefix      = "pna_"
	enrollmentPrefix = "pne_"
)

func newToken(prefix string) (token string, hash []byte) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: crypto/rand ends the program instead
	token = prefix + base64.RawURLEncoding.EncodeToString(secret)
	return token, hashOf(token)
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// credentials proves agents by their token, from memory while other panels' changes can be heard and from the database
// while they cannot. A revocation takes effect at the next request in both cases.
type credentials struct {
	db       *database.DB
	listener *database.Listener
	clock    clockwork.Clock
	log      *zap.Logger

	mu      sync.RWMutex
	held    map[[sha256.Size]byte]credential
	changes uint64
	onDrop  []func(nodeID string)
}

type credential struct {
	nodeID string
	until  *time.Time
}

const (
	credentialsChannel = "panel_agent_tokens"
	mostCredentials    = 100_000
	overlap            = 24 * time.Hour // how long the token before a rotation still works
)

func newCredentials(db *database.DB, listener *database.Listener, clock clockwork.Clock, log *zap.Logger) *credentials {
	c := &credentials{db: db, listener: listener, clock: clock, log: log, held: map[[sha256.Size]byte]credential{}}
	listener.On(credentialsChannel, c.forget)
	listener.OnReady(func() { c.forget("") })
	return c
}

func exportAgents(c *credentials) httpapi.Agents { return c }

var errAgentToken = fault.Unauthenticated("agent_token_invalid", "this agent token is not valid; enrol the agent again")

// AuthenticateAgent proves an agent token. Faults: agent_token_invalid (401), unavailable (503).
func (c *credentials) AuthenticateAgent(ctx context.Context, token string) (access.Caller, error) {
	key := sha256.Sum256([]byte(token))
	found, known := c.remembered(key)
	if !known {
		var err error
		if found, err = c.read(ctx, key); err != nil {
			return access.Caller{}, err
		}
	}
	if found.until != nil && !found.until.After(c.clock.Now()) {
		return access.Caller{}, errAgentToken
	}
	return access.Caller{Kind: access.Node, NodeID: found.nodeID}, nil
}

func (c *credentials) remembered(key [sha256.Size]byte) (credential, bool) {
	if !c.listener.Healthy() {
		return credential{}, false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	found, known := c.held[key]
	return found, known
}

func (c *credentials) read(ctx context.Context, key [sha256.Size]byte) (credential, error) {
	c.mu.RLock()
	before := c.changes
	c.mu.RUnlock()
	var found credential
	err := c.db.NewRaw("select node_id, valid_until from agent_tokens where token_hash = ?", key[:]).Scan(ctx, &found.nodeID, &found.until)
	if err = database.Fault(err, nil); fault.KindOf(err) == fault.KindMissing {
		return found, errAgentToken
	}
	if err != nil {
		return found, fmt.Errorf("reading the agent's token: %w", err)
	}
	c.remember(key, found, before)
	return found, nil
}

// remember keeps nothing that was read before a change was heard.
func (c *credentials) remember(key [sha256.Size]byte, found credential, before uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != before {
		return
	}
	if len(c.held) >= mostCredentials {
		clear(c.held)
	}
	c.held[key] = found
}

// forget drops what is remembered of a node; an empty id, after a gap in hearing, drops everything.
func (c *credentials) forget(nodeID string) {
	c.mu.Lock()
	c.changes++
	for key, found := range c.held {
		if nodeID == "" || found.nodeID == nodeID {
			delete(c.held, key)
		}
	}
	told := c.onDrop
	c.mu.Unlock()
	for _, tell := range told {
		tell(nodeID)
	}
}

// onForget calls tell with each node whose tokens changed, or with nothing for all of them.
func (c *credentials) onForget(tell func(nodeID string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onDrop = append(c.onDrop, tell)
}

// issue gives the node its only token: what was valid before ends at once, or with the overlap when it is a rotation.
// The caller calls forget after the commit.
func (c *credentials) issue(ctx context.Context, tx bun.IDB, row *nodeRow, rotation bool) (token string, err error) {
	now := c.clock.Now().UTC()
	token, hash := newToken(agentPrefix)
	if err := c.end(ctx, tx, row, now, rotation); err != nil {
		return "", err
	}
	id := database.NewID()
	_, err = tx.NewRaw("insert into agent_tokens (id, node_id, token_hash, created_at) values (?, ?, ?, ?)", id, row.ID, hash, now).Exec(ctx)
	if err != nil {
		return "", database.Fault(fmt.Errorf("storing the agent's token: %w", err), nil)
	}
	row.AgentAccess, row.TokenID = accessGranted, &id
	return token, c.tell(ctx, tx, row.ID)
}

func (c *credentials) end(ctx context.Context, tx bun.IDB, row *nodeRow, now time.Time, keep bool) error {
	statement, until := "delete from agent_tokens where node_id = ?", now
	row.PreviousValidUntil = nil
	if keep {
		until = now.Add(overlap)
		row.PreviousValidUntil = &until
		// Earlier tokens keep their own end: when the answer of a rotation is lost, the agent still holds one of them.
		statement = "update agent_tokens set valid_until = ?1 where node_id = ?0 and valid_until is null"
	}
	if _, err := tx.NewRaw(statement, row.ID, until).Exec(ctx); err != nil {
		return database.Fault(fmt.Errorf("ending the agent's tokens: %w", err), nil)
	}
	return nil
}

// revoke ends every token of the node. The caller calls forget after the commit, and settle.
func (c *credentials) revoke(ctx context.Context, tx bun.IDB, row *nodeRow) (database.Barrier, error) {
	if err := c.end(ctx, tx, row, c.clock.Now(), false); err != nil {
		return database.Barrier{}, err
	}
	row.AgentAccess, row.TokenID = accessRevoked, nil
	return c.withdraw(ctx, tx, row.ID)
}

// withdraw tells all panels of tokens that are no longer valid, and asks them whether they took notice.
func (c *credentials) withdraw(ctx context.Context, tx bun.IDB, nodeID string) (database.Barrier, error) {
	if err := c.tell(ctx, tx, nodeID); err != nil {
		return database.Barrier{}, err
	}
	return database.NewBarrier(ctx, tx)
}

// settle returns when every panel has forgotten the tokens, so that none of them takes one after the answer. One that does not
// say so in time cannot undo what is committed: it learns of it as soon as it hears again.
func (c *credentials) settle(ctx context.Context, barrier database.Barrier) {
	if err := barrier.Await(ctx, c.db); err != nil {
		c.log.Warn("the end of an agent's token may reach another panel late", zap.Error(err))
	}
}

func (c *credentials) tell(ctx context.Context, tx bun.IDB, nodeID string) error {
	return database.Notify(ctx, tx, credentialsChannel, nodeID)
}
