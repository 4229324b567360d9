package nodes

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/tokens"
)

// Tokens are 256 random bits; only their digest is stored, so comparing is a look-up that tells nothing by its time.
const (
	agentPrefix      = "pna_"
	enrollmentPrefix = "pne_"
)

func newToken(prefix string) (token string, hash []byte) {
	token, digest := tokens.New(prefix)
	return token, digest[:]
}

func hashOf(token string) []byte {
	digest := tokens.DigestOf(token)
	return digest[:]
}

// credentials proves agents by their token, from memory while other panels' changes can be heard and from the database
// while they cannot. A revocation takes effect at the next request in both cases. An unknown token costs one read, and
// a network that comes with ever new ones has to wait; agents with a token in memory do not.
type credentials struct {
	db      *database.DB
	clock   clockwork.Clock
	log     *zap.Logger
	held    *tokens.Image[credential]
	unknown *tokens.Unknown

	mu     sync.Mutex
	onDrop []func(nodeID string)
}

type credential struct {
	id, nodeID string
	until      *time.Time
}

const (
	credentialsChannel = "panel_agent_tokens"
	overlap            = 24 * time.Hour // how long the token before a rotation still works
)

func newCredentials(
	db *database.DB, listener *database.Listener, clock clockwork.Clock, log *zap.Logger,
) (*credentials, error) {
	unknown, err := tokens.NewUnknown()
	if err != nil {
		return nil, err
	}
	c := &credentials{db: db, clock: clock, log: log, unknown: unknown}
	c.held = tokens.NewImage(listener, tokens.Options[credential]{
		Channel: credentialsChannel, Read: c.read, Owner: func(found credential) string { return found.nodeID },
	})
	listener.On(credentialsChannel, c.changed)
	listener.OnReady(func() { c.changed("") })
	return c, nil
}

func exportAgents(c *credentials) httpapi.Agents { return c }

var errAgentToken = fault.Unauthenticated("agent_token_invalid", "this agent token is not valid; enrol the agent again")

// AuthenticateAgent proves an agent token. Faults: agent_token_invalid (401), throttled (429), unavailable (503).
func (c *credentials) AuthenticateAgent(ctx context.Context, token string) (access.Caller, error) {
	found, err := c.held.Prove(ctx, tokens.DigestOf(token))
	if err != nil {
		return access.Caller{}, err
	}
	if found.until != nil && !found.until.After(c.clock.Now()) {
		return access.Caller{}, errAgentToken
	}
	return access.Caller{Kind: access.Node, NodeID: found.nodeID, AgentTokenID: found.id}, nil
}

func (c *credentials) read(ctx context.Context, digest tokens.Digest) (found credential, err error) {
	ip := access.Address(ctx)
	if err := c.unknown.Refuse(digest, ip, c.clock.Now(), errAgentToken); err != nil {
		return found, err
	}
	err = c.db.NewRaw("select id, node_id, valid_until from agent_tokens where token_hash = ?", digest[:]).
		Scan(ctx, &found.id, &found.nodeID, &found.until)
	if err = database.Fault(err, nil); fault.KindOf(err) == fault.KindMissing {
		c.unknown.Note(digest, ip, c.clock.Now())
		return found, errAgentToken
	}
	if err != nil {
		return found, fmt.Errorf("read the agent's token: %w", err)
	}
	return found, nil
}

// forget drops what is remembered of a node.
func (c *credentials) forget(nodeID string) {
	c.held.Forget(nodeID)
	c.changed(nodeID)
}

// changed lets those know who hold something by a token of the node, or of any when the id is empty.
func (c *credentials) changed(nodeID string) {
	c.unknown.Forget()
	c.mu.Lock()
	listeners := slices.Clone(c.onDrop)
	c.mu.Unlock()
	for _, notify := range listeners {
		notify(nodeID)
	}
}

// onForget calls notify with each node whose tokens changed, or with nothing for all of them.
func (c *credentials) onForget(notify func(nodeID string)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.onDrop = append(c.onDrop, notify)
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
	_, err = tx.NewRaw("insert into agent_tokens (id, node_id, token_hash, created_at) values (?, ?, ?, ?)", id, row.ID,
		hash, now).Exec(ctx)
	if err != nil {
		return "", database.Fault(fmt.Errorf("storing the agent's token: %w", err), nil)
	}
	row.AgentAccess, row.TokenID = accessGranted, &id
	return token, c.publish(ctx, tx, row.ID)
}

// rotate issues another token to an agent. The node is locked: a token that was revoked since the agent proved itself
// by it buys no other. Fault: agent_token_invalid (401).
func (c *credentials) rotate(ctx context.Context, tx bun.IDB, row *nodeRow) (token string, err error) {
	var valid bool
	err = tx.NewRaw("select exists (select from agent_tokens where id = ? and node_id = ? and (valid_until is null or valid_until > ?))",
		access.From(ctx).AgentTokenID, row.ID, c.clock.Now().UTC()).Scan(ctx, &valid)
	if err != nil {
		return "", database.Fault(fmt.Errorf("proving the agent's token again: %w", err), nil)
	}
	if !valid {
		return "", errAgentToken
	}
	return c.issue(ctx, tx, row, true)
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
	if err := c.publish(ctx, tx, nodeID); err != nil {
		return database.Barrier{}, err
	}
	return database.NewBarrier(ctx, tx)
}

// settle returns when every panel has forgotten the tokens, so that none of them takes one after the answer. One that
// does not say so in time cannot undo what is committed: it learns of it as soon as it hears again.
func (c *credentials) settle(ctx context.Context, barrier database.Barrier) {
	if err := barrier.Await(ctx, c.db); err != nil {
		c.log.Warn("the end of an agent's token may reach another panel late", zap.Error(err))
	}
}

func (c *credentials) publish(ctx context.Context, tx bun.IDB, nodeID string) error {
	return database.Notify(ctx, tx, credentialsChannel, nodeID)
}
