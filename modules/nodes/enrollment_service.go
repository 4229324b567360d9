package nodes

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/uptrace/bun"

	"panel/modules/nodes/internal/evidence"
	"panel/modules/nodes/internal/install"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/ingest"
	"panel/platform/keyset"
)

// enrollment issues tokens and turns each use of one into a node with an agent token.
type enrollment struct {
	db          *database.DB
	store       *store
	service     *service
	credentials *credentials
	evidence    *evidence.Writer
	installer   *install.Installer
	journal     audit.Journal
	clock       clockwork.Clock
	heartbeat   int
	turn        chan struct{} // held by the one enrolment that chooses a name
}

func newEnrollment(
	db *database.DB, s *store, v *service, c *credentials, w *evidence.Writer, i *install.Installer, j audit.Journal,
	clock clockwork.Clock, cfg *config.Config,
) *enrollment {
	return &enrollment{
		db: db, store: s, service: v, credentials: c, evidence: w, installer: i, journal: j, clock: clock,
		heartbeat: cfg.Int(config.AgentHeartbeat), turn: make(chan struct{}, 1),
	}
}

// order is the wish for a token.
type tokenOrder struct {
	kind, label string
	lives       time.Duration
	limit       *int
	tags        []string
	node        *string
}

// issue makes a token. Fault: invalid_value (422) for an unknown node.
func (e *enrollment) issue(ctx context.Context, want tokenOrder) (*IssuedToken, error) {
	now := e.clock.Now().UTC()
	token, hash := newToken(enrollmentPrefix)
	row := &tokenRow{
		ID: database.NewID(), TokenHash: hash, Kind: want.kind, Label: want.label, ExpiresAt: now.Add(want.lives),
		UsageLimit: want.limit,
		AutoTags:   distinct(want.tags), BindNodeID: want.node, CreatedBy: by(ctx), CreatedAt: now,
	}
	if one := 1; row.Kind == "one_off" || row.BindNodeID != nil {
		row.UsageLimit = &one
	}
	name, err := e.insert(ctx, row)
	if err != nil {
		return nil, err
	}
	return &IssuedToken{EnrollmentToken: row.shown(now), Token: token, Install: Install{Command: e.installer.Line(token,
		name), URL: e.installer.URL()}}, nil
}

// Issue gives a token to another module.
func (e *enrollment) Issue(ctx context.Context, want nodesapi.TokenOrder) (nodesapi.Token, error) {
	issued, err := e.issue(ctx, tokenOrder{
		kind: "one_off", label: want.Label, lives: want.Lives, tags: want.Tags,
		node: named(want.NodeID),
	})
	switch {
	case fault.KindOf(err) == fault.KindInvalid:
		return nodesapi.Token{}, nodesapi.ErrUnknown
	case err != nil:
		return nodesapi.Token{}, err
	}
	return nodesapi.Token{
		ID: issued.ID, Token: issued.Token, Command: issued.Install.Command, URL: issued.Install.URL,
		ExpiresAt: issued.ExpiresAt,
	}, nil
}

// Add adds a node for another module.
func (e *enrollment) Add(ctx context.Context, name string) (nodeID string, err error) {
	added, err := e.service.add(ctx, &createBody{Name: name})
	if err != nil {
		return "", err
	}
	return added.ID, nil
}

// Revoke ends a token for another module.
func (e *enrollment) Revoke(ctx context.Context, tokenID string) error {
	if !database.IsID(tokenID) {
		return nodesapi.ErrUnknown
	}
	err := e.revoke(ctx, tokenID)
	if fault.KindOf(err) == fault.KindMissing {
		return nodesapi.ErrUnknown
	}
	return err
}

func exportEnrollment(e *enrollment) nodesapi.Enrollment { return e }

func (e *enrollment) insert(ctx context.Context, row *tokenRow) (nodeName string, err error) {
	err = e.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if row.BindNodeID != nil {
			if err := tx.NewRaw("select name from nodes where id = ?", *row.BindNodeID).
				Scan(ctx, &nodeName); err != nil {
				return err
			}
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return err
		}
		return e.journal.Record(ctx, tx, audit.Entry{
			Action: "node.enrollment_token_issued", Object: row.object(),
			Changes: map[string]audit.Change{
				"kind": {To: row.Kind}, "expires_at": {To: row.ExpiresAt}, "bind_node_id": {To: row.BindNodeID},
				"token": {To: "set"},
			},
		})
	})
	if err = database.Fault(err, nil); fault.KindOf(err) == fault.KindMissing {
		err = fault.InvalidValue("bind_node_id", "there is no such node").Wrap(err)
	}
	return nodeName, err
}

func (e *enrollment) revoke(ctx context.Context, id string) error {
	err := e.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		row := new(tokenRow)
		err := tx.NewUpdate().Model(row).Set("revoked_at = coalesce(revoked_at, ?)", e.clock.Now().UTC()).
			Where("id = ?", id).Returning("*").Scan(ctx)
		if err != nil {
			return err
		}
		return e.journal.Record(ctx, tx, audit.Entry{Action: "node.enrollment_token_revoked", Object: row.object()})
	})
	return database.Fault(err, nil)
}

func (e *enrollment) get(ctx context.Context, id string) (*EnrollmentToken, error) {
	row := new(tokenRow)
	if err := e.db.NewSelect().Model(row).Where("id = ?", id).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	shown := row.shown(e.clock.Now())
	return &shown, nil
}

// tokenState derives the state in SQL, for the filter; shown does the same for one row.
const tokenState = `case when revoked_at is not null then 'revoked' when usage_limit is not null and used_count >= usage_limit then 'used_up'
	when expires_at <= ? then 'expired' else 'active' end`

func (e *enrollment) list(ctx context.Context, in *tokensInput, k *keyset.Keyset) ([]tokenRow, int, error) {
	var rows []tokenRow
	filter := func(q *bun.SelectQuery) *bun.SelectQuery {
		if in.State != "" {
			q = q.Where(tokenState+" = ?", e.clock.Now(), in.State)
		}
		return q
	}
	if err := k.Apply(filter(e.db.NewSelect().Model(&rows).ColumnExpr("*")), nil).Scan(ctx); err != nil {
		return nil, 0, database.Fault(err, nil)
	}
	total, err := filter(e.db.NewSelect().Model((*tokenRow)(nil))).Count(ctx)
	return rows, int(total), database.Fault(err, nil)
}

func (row *tokenRow) shown(now time.Time) EnrollmentToken {
	state := "active"
	switch {
	case row.RevokedAt != nil:
		state = "revoked"
	case row.UsageLimit != nil && row.UsedCount >= *row.UsageLimit:
		state = "used_up"
	case !row.ExpiresAt.After(now):
		state = "expired"
	}
	return EnrollmentToken{
		ID: row.ID, Kind: row.Kind, Label: row.Label, State: state, ExpiresAt: row.ExpiresAt.UTC(),
		UsageLimit: row.UsageLimit,
		UsedCount:  row.UsedCount, AutoTags: list(row.AutoTags), BindNodeID: row.BindNodeID,
		RevokedAt:  utc(row.RevokedAt),
		LastUsedAt: utc(row.LastUsedAt), CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt.UTC(),
	}
}

func (row *tokenRow) object() audit.Object {
	return audit.Object{Type: "enrollment_token", ID: row.ID, Name: row.Label}
}

var errEnrollment = fault.Unauthenticated("enrollment_token_invalid",
	"this enrollment token is not valid; ask for a new one in the panel")

// enroll trades a token for an identity, once per use that the token allows, also under any number of callers at once.
// Fault: enrollment_token_invalid (401), one answer for a wrong, spent, expired and revoked token.
func (e *enrollment) enroll(ctx context.Context, in *agentapi.EnrollRequest) (*agentapi.EnrollReply, error) {
	select { // one by one, because servers of one image come at once and choose the same name
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, ingest.ErrBusy.Wrap(ctx.Err())
	}
	const tries = 8 // another panel may give the same name away
	var err error
	for range tries {
		var reply *agentapi.EnrollReply
		reply, err = e.tryEnroll(ctx, in)
		if err == nil {
			e.credentials.forget(reply.NodeID)
			e.evidence.Forget(reply.NodeID)
			return reply, nil
		}
		if fault.Code(err) != "name_taken" {
			return nil, err
		}
	}
	return nil, err
}

func (e *enrollment) tryEnroll(ctx context.Context, in *agentapi.EnrollRequest) (*agentapi.EnrollReply, error) {
	reply := &agentapi.EnrollReply{HeartbeatSeconds: e.heartbeat}
	var barrier *database.Barrier // of a node whose earlier tokens end with this
	err := e.db.WithTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		token, err := e.spend(ctx, tx, in.Token)
		if err != nil {
			return err
		}
		row, fresh, err := e.identity(ctx, tx, token, in)
		if err != nil {
			return err
		}
		reply.NodeID = row.ID
		if err := e.admit(ctx, tx, row, fresh, token, reply); err != nil || fresh {
			return err
		}
		asked, err := database.NewBarrier(ctx, tx)
		barrier = &asked
		return err
	})
	if err == nil && barrier != nil {
		e.credentials.settle(ctx, *barrier)
	}
	return reply, database.Fault(err, nil)
}

// spend takes one use. The statement both checks and counts, so that two callers never share the last use.
func (e *enrollment) spend(ctx context.Context, tx bun.Tx, token string) (*tokenRow, error) {
	row, now := new(tokenRow), e.clock.Now().UTC()
	err := tx.NewUpdate().Model(row).Set("used_count = used_count + 1").Set("last_used_at = ?", now).
		Where("token_hash = ?", hashOf(token)).Where(tokenState+" = 'active'", now).Returning("*").Scan(ctx)
	if err = database.Fault(err, nil); fault.KindOf(err) == fault.KindMissing {
		return nil, errEnrollment
	}
	return row, err
}

// identity is the node that the token names, or a new one.
func (e *enrollment) identity(ctx context.Context, tx bun.Tx, token *tokenRow,
	in *agentapi.EnrollRequest,
) (row *nodeRow, fresh bool, err error) {
	if token.BindNodeID != nil {
		row, err = e.store.locked(ctx, tx, *token.BindNodeID)
		return row, false, err
	}
	name, err := e.freeName(ctx, tx, orElse(in.Name, in.Hostname))
	now := e.clock.Now().UTC()
	return &nodeRow{
		ID: database.NewID(), Name: name, CountryCode: "XX", IPs: []NodeIP{}, Roles: []string{},
		Tags:        distinct(token.AutoTags),
		AgentAccess: accessNone, AnnouncedState: "pending", CreatedAt: now, UpdatedAt: now, Revision: 1,
	}, true, err
}

func (e *enrollment) admit(ctx context.Context, tx bun.Tx, row *nodeRow, fresh bool, token *tokenRow,
	reply *agentapi.EnrollReply,
) error {
	now := e.clock.Now().UTC()
	if fresh {
		if err := e.store.insert(ctx, tx, row); err != nil {
			return err
		}
	}
	if row.Address == "" {
		row.Address = access.From(ctx).IP
	}
	row.Tags = distinct(append(row.Tags, token.AutoTags...))
	row.EnrolledAt, row.UpdatedAt = &now, now
	var err error
	if reply.AgentToken, err = e.credentials.issue(ctx, tx, row, false); err != nil {
		return err
	}
	if err := e.store.update(ctx, tx, row, now); err != nil {
		return err
	}
	return e.service.record(ctx, nodesapi.NodeEnrolled, row, map[string]audit.Change{
		"address": {To: row.Address}, "enrollment_token_id": {To: token.ID}, "agent_token": {To: "set"},
	})
}

// freeName makes a name from what the server calls itself, with a number when it is taken.
func (e *enrollment) freeName(ctx context.Context, tx bun.Tx, wanted string) (string, error) {
	base := tidyName(wanted)
	taken, err := e.store.names(ctx, tx, strings.ToLower(base))
	if err != nil {
		return "", err
	}
	name := base
	for n := 2; taken[strings.ToLower(name)]; n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name, nil
}

const longestName = 56 // leaves room for a number

func tidyName(wanted string) string {
	var out strings.Builder
	for _, r := range strings.TrimSpace(wanted) {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			out.WriteRune(r)
		case out.Len() > 0:
			out.WriteByte('-')
		}
	}
	name := out.String()
	name = strings.Trim(name[:min(len(name), longestName)], "-")
	if len(name) < 3 {
		name = strings.Trim("node-"+name, "-")
	}
	return name
}

// rotate gives the agent a new token; the old one lives on for the overlap.
func (e *enrollment) rotate(ctx context.Context, nodeID string) (*agentapi.TokenReply, error) {
	out := new(agentapi.TokenReply)
	err := e.change(ctx, nodeID, nodesapi.NodeTokenRotated, func(ctx context.Context, tx bun.Tx,
		row *nodeRow,
	) (err error) {
		out.AgentToken, err = e.credentials.rotate(ctx, tx, row)
		if row.PreviousValidUntil != nil {
			out.PreviousValidUntil = *row.PreviousValidUntil
		}
		return err
	})
	return out, err
}

// revokeAgent ends the agent's access at its next request.
func (e *enrollment) revokeAgent(ctx context.Context, nodeID string) error {
	var barrier database.Barrier
	err := e.change(ctx, nodeID, nodesapi.NodeAgentRevoked, func(ctx context.Context, tx bun.Tx,
		row *nodeRow,
	) (err error) {
		barrier, err = e.credentials.revoke(ctx, tx, row)
		return err
	})
	if err == nil {
		e.credentials.settle(ctx, barrier)
	}
	return err
}

func (e *enrollment) change(ctx context.Context, nodeID, action string, edit func(ctx context.Context, tx bun.Tx,
	row *nodeRow) error,
) error {
	_, err := e.service.change(ctx, nodeID, action, nil, edit)
	e.credentials.forget(nodeID)
	return err
}
