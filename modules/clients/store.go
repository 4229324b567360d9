package clients

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"go.uber.org/zap"

	"panel/modules/clients/clientsapi"
	"panel/modules/clients/internal/presence"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/keyset"
	"panel/platform/names"
	"panel/platform/vault"
)

// store is the rows of clients and the sealing of their secrets; it knows no rules. Each query takes part in the
// context's transaction.
type store struct {
	db      *database.DB
	vault   *vault.Vault
	log     *zap.Logger
	columns string // of clients, as c

	totals    keyset.Totals[ClientFilter]
	useTotals keyset.Totals[useFilter]
	flows     presence.Flows
}

// leastRemembered is how many rows there are at least where counting them costs more than the page that tells it.
const leastRemembered = 1000

func newStore(db *database.DB, v *vault.Vault, log *zap.Logger) *store {
	s := &store{db: db, vault: v, log: log, columns: database.Columns[clientRow](db, "c")}
	s.totals.Least, s.useTotals.Least = leastRemembered, leastRemembered
	return s
}

func (s *store) get(ctx context.Context, id string) (*clientRow, error) {
	row := new(clientRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("c.id = ?", id).Scan(ctx)
	return row, database.Fault(err, nil)
}

// lock is get, and nobody else changes the row until the transaction ends.
func (s *store) lock(ctx context.Context, id string) (*clientRow, error) {
	row := new(clientRow)
	err := s.db.In(ctx).NewSelect().Model(row).Where("c.id = ?", id).For("update").Scan(ctx)
	return row, database.Fault(err, nil)
}

func (s *store) insert(ctx context.Context, row any) error {
	_, err := s.db.In(ctx).NewInsert().Model(row).Exec(ctx)
	return database.Fault(err, nil)
}

func (s *store) update(ctx context.Context, row *clientRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).ExcludeColumn("created_at").WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// access gives what a client has on a flow, also when it was revoked; nil when it never had any.
func (s *store) access(ctx context.Context, clientID, flowID string) (*accessRow, error) {
	var rows []accessRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("a.client_id = ? and a.flow_id = ?", clientID, flowID).
		Scan(ctx)
	if err != nil || len(rows) == 0 {
		return nil, database.Fault(err, nil)
	}
	return &rows[0], nil
}

// uses gives the flows that some clients may use, oldest first.
func (s *store) uses(ctx context.Context, clientIDs ...string) (map[string][]accessRow, error) {
	out := map[string][]accessRow{}
	if len(clientIDs) == 0 {
		return out, nil
	}
	var rows []accessRow
	args := new(database.Arguments)
	query := s.db.NewSelect().TableExpr("client_flows as a").Join(onList).
		ColumnExpr("a.client_id, a.flow_id, a.moved, a.generation, a.number, a.up, a.down, a.created_at, a.revoked_at").
		ColumnExpr(letIn+" as installed, "+needsApply+" as by_apply, "+isElsewhere+" as elsewhere").
		Where("a.client_id = ? and a.revoked_at is null", args.AnyOf(clientIDs)).
		Order("a.created_at", "a.flow_id")
	err := database.Read(ctx, s.db, &rows, query, args)
	for _, row := range rows {
		out[row.ClientID] = append(out[row.ClientID], row)
	}
	return out, database.Fault(err, nil)
}

func (s *store) updateAccess(ctx context.Context, row *accessRow) error {
	_, err := s.db.In(ctx).NewUpdate().Model(row).WherePK().Exec(ctx)
	return database.Fault(err, nil)
}

// end revokes what a client has on one flow, or on all of them.
func (s *store) end(ctx context.Context, clientID, flowID string, now time.Time) (flowIDs []string, err error) {
	q := s.db.In(ctx).NewUpdate().Model((*accessRow)(nil)).Set("revoked_at = ?", now).
		Where("a.client_id = ? and a.revoked_at is null", clientID).Returning("flow_id")
	if flowID != "" {
		q = q.Where("a.flow_id = ?", flowID)
	}
	err = q.Scan(ctx, &flowIDs)
	return flowIDs, database.Fault(err, nil)
}

// ends is end for the access that a client has on a flow under a ref; false: it has it no more.
func (s *store) ends(ctx context.Context, clientID string, at clientsapi.Taken, now time.Time) (bool, error) {
	return s.one(ctx, "update client_flows a set revoked_at = ?3 where a.client_id = ?0 and a.flow_id = ?1 and "+accessRef+
		" = ?2 and a.revoked_at is null", clientID, at, now)
}

// begins gives an access back with its secret; false: the client has another one meanwhile.
func (s *store) begins(ctx context.Context, clientID string, at clientsapi.Taken, _ time.Time) (bool, error) {
	return s.one(ctx, "update client_flows a set revoked_at = null where a.client_id = ?0 and a.flow_id = ?1 and "+accessRef+
		" = ?2 and a.revoked_at is not null", clientID, at)
}

func (s *store) one(
	ctx context.Context, change, clientID string, at clientsapi.Taken, more ...any,
) (bool, error) {
	done, err := s.db.In(ctx).NewRaw(change, append([]any{clientID, at.FlowID, at.Ref}, more...)...).Exec(ctx)
	if err != nil {
		return false, database.Fault(fmt.Errorf("change what a client has on a flow: %w", err), nil)
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// setInstalled notes which accesses the installed parts of a flow serve.
func (s *store) setInstalled(ctx context.Context, flowID string, refs []string) error {
	_, err := s.db.In(ctx).ExecContext(ctx, `update client_flows a set installed = not a.installed
		where a.flow_id = ?0 and a.installed <> (`+accessRef+` = any(?1::text[]))`, flowID, pgdialect.Array(append([]string{}, refs...)))
	return database.Fault(err, nil)
}

// forget takes a flow from its clients and deletes those that have no other one.
func (s *store) forget(ctx context.Context, flowID string) error {
	s.flows.Drop(flowID)
	var ids []string
	err := s.db.In(ctx).NewRaw("delete from client_flows where flow_id = ? returning client_id", flowID).Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return database.Fault(err, nil)
	}
	_, err = s.db.In(ctx).ExecContext(ctx, `delete from client_profiles c where c.id = any(?::uuid[])
		and not exists (select from client_flows a where a.client_id = c.id)`, pgdialect.Array(ids))
	return database.Fault(err, nil)
}

const movedBatch = 500

// settle seals anew what was taken over from the former table, which a new master key would not reach.
func (s *store) settle(ctx context.Context) error {
	last := [2]string{zeroID, zeroID}
	for {
		var rows []accessRow
		err := s.db.In(ctx).NewSelect().Model(&rows).
			Where("a.moved and (a.client_id, a.flow_id) > (?::uuid, ?::uuid)", last[0], last[1]).
			Order("a.client_id", "a.flow_id").Limit(movedBatch).Scan(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("read secrets that have moved: %w", err), nil)
		}
		for i := range rows {
			if err := s.settled(ctx, rows[i]); err != nil {
				return err
			}
			last = [2]string{rows[i].ClientID, rows[i].FlowID}
		}
		if len(rows) < movedBatch {
			return nil
		}
	}
}

const zeroID = "00000000-0000-0000-0000-000000000000"

// settled leaves a secret alone that does not open: with its own master key it opens at another start.
func (s *store) settled(ctx context.Context, row accessRow) error {
	opened, err := row.open(s.vault)
	if err != nil {
		s.log.Error("the secret of a client does not open", zap.String("client", row.ClientID), zap.Error(err))
		return nil
	}
	before := row.Secret
	row.Moved = false
	if err := row.seal(s.vault, opened); err != nil {
		return err
	}
	_, err = s.db.In(ctx).NewUpdate().Model(&row).Column("secret", "moved").WherePK().Where("a.secret = ?", before).
		Exec(ctx)
	return database.Fault(err, nil)
}

// rekey gives clients the keys of their labels.
func (s *store) rekey(ctx context.Context) error {
	return names.Rekey(ctx, s.db, "client_profiles", "label", "label_key")
}

// filter narrows a list of clients down.
func (f ClientFilter) filter(q *bun.SelectQuery, now time.Time, args *database.Arguments) *bun.SelectQuery {
	if f.Q != "" {
		q = q.Where("(strpos("+clientName+", ?) > 0 or c.note collate \"C\" ~ ?)", args.Add(names.SearchKey(f.Q)),
			args.Add(names.Pattern(f.Q)))
	}
	if f.State != "" {
		q = q.Where(stateAt+" = ?", args.Add(now), f.State)
	}
	if f.Tag != "" {
		q = q.Where("? = any(c.tags)", args.Add(f.Tag))
	}
	if f.Owner != "" {
		q = q.Where("c.owner_id = ?", args.Add(f.Owner))
	}
	if f.Online {
		q = q.Where("c.revoked_at is null and c.last_seen_at > ?", args.Add(now.Add(-onlineFor)))
	}
	if f.EndsWithin > 0 {
		q = q.Where(stateAt+" = 'active' and c.expires_at <= ?", args.Add(now), args.Add(now.AddDate(0, 0, f.EndsWithin)))
	}
	if f.NotBegun {
		q = q.Where(stateAt+" = 'active' and c.lasts_days is not null", args.Add(now))
	}
	if f.FlowID != "" {
		q = q.Where(`exists (select from client_flows a where a.client_id = c.id and a.flow_id::text = ?
			and a.revoked_at is null)`, args.Add(f.FlowID))
	}
	return q
}

// missing is the answer for what is not there.
func missing() error { return fault.Missing(fault.NoSuchThing) }
