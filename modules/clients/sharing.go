package clients

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/clients/internal/quota"
	"panel/platform/agentapi"
	"panel/platform/database"
)

const (
	sharedAtOnce  = 1000   // clients in one transaction
	mostInOne     = 50_000 // shares in one document
	confirmLimit  = 5 * time.Second
	confirmPause  = 250 * time.Millisecond
	silentForGood = 24 * time.Hour
	littleUse     = 1 << 20 // bytes; what was used long ago says less about where a client uses its quota
)

// sharesDocument is the name of the agents' document.
var sharesDocument = string(agentapi.DocumentShares)

// shareOut looks at every client whose quota, use or entries have changed, and gives the agents of its entries their
// shares. With a limit it waits so long for agents to confirm less, because others get more then.
func (c *clients) shareOut(ctx context.Context, limit time.Duration) error {
	due := limit > 0 // an agent may have lost what it held
	for until := c.clock.Now().Add(limit); ; due = false {
		more, err := c.sharePass(ctx, due)
		if err != nil {
			return fmt.Errorf("share out quotas: %w", err)
		}
		if more {
			continue
		}
		if waits, err := c.store.waitsForLess(ctx); err != nil || !waits || !c.clock.Now().Before(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.clock.After(confirmPause):
		}
	}
}

// sharePass looks at some clients. More says that there are others.
func (c *clients) sharePass(ctx context.Context, due bool) (more bool, err error) {
	if !due {
		if due, err = c.store.sharesDue(ctx); err != nil || !due {
			return false, err
		}
	}
	err = c.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := c.store.onLists(ctx); err != nil {
			return err
		}
		if err := c.confirm(ctx); err != nil {
			return err
		}
		wanted, err := c.store.unshared(ctx)
		if err != nil {
			return err
		}
		more = len(wanted) == sharedAtOnce
		if err := c.divide(ctx, wanted); err != nil {
			return err
		}
		return c.publishShares(ctx)
	})
	return more, database.Fault(err, nil)
}

// sharesDue says whether there is anything to look at.
func (s *store) sharesDue(ctx context.Context) (due bool, err error) {
	err = s.db.In(ctx).NewRaw(`select exists (select from client_profiles where unshared)
		or exists (select from client_shares where not confirmed)`).Scan(ctx, &due)
	return due, database.Fault(err, nil)
}

// waitsForLess says whether some agent has not confirmed yet that it goes by less than before.
func (s *store) waitsForLess(ctx context.Context) (waits bool, err error) {
	err = s.db.In(ctx).NewRaw("select exists (select from client_shares where not confirmed and held > granted)").
		Scan(ctx, &waits)
	return waits, database.Fault(err, nil)
}

// shareList is shareOut after other agents hold a list: the quotas of all of its clients are shared out anew.
func (c *clients) shareList(ctx context.Context, flowID string) error {
	list, err := c.store.list(ctx, flowID)
	if err != nil {
		return err
	}
	if list.Reshare {
		if err := c.reshare(ctx, list); err != nil {
			return err
		}
	}
	return c.shareOut(ctx, 0)
}

func (c *clients) reshare(ctx context.Context, list *listRow) error {
	holders, err := c.store.holders(ctx, list.FlowID)
	if err != nil {
		return err
	}
	if _, err := c.able(ctx, nodesOf(holders)); err != nil {
		return err
	}
	_, err = c.store.db.In(ctx).NewRaw(`update client_profiles c set unshared = true where not c.unshared
		and (c.quota_bytes is not null or exists (select from client_shares s where s.client_id = c.id))
		and c.id in (select client_id from client_flows where flow_id = ?)`, list.FlowID).Exec(ctx)
	if err == nil {
		_, err = c.store.db.In(ctx).NewRaw("update client_lists set reshare = false where flow_id = ? and changes = ?",
			list.FlowID, list.Changes).Exec(ctx)
	}
	return database.Fault(err, nil)
}

func nodesOf(holders []holderRow) []string {
	ids := make([]string, len(holders))
	for i := range holders {
		ids[i] = holders[i].NodeID
	}
	return ids
}

// able notes which of the agents keep to shares, and gives those lists that one holds of which that was not known.
func (c *clients) able(ctx context.Context, nodeIDs []string) (flowIDs []string, err error) {
	agents, err := c.agents(ctx, nodeIDs)
	if err != nil {
		return nil, err
	}
	able := []string{}
	for id, agent := range agents {
		if agent.Can(string(agentapi.DocumentShares.Capability())) {
			able = append(able, id)
		}
	}
	err = c.store.db.In(ctx).NewRaw(`update client_list_nodes set shares = true
		where not shares and node_id = any(?::uuid[]) returning flow_id::text`, pgdialect.Array(able)).Scan(ctx, &flowIDs)
	return distinct(flowIDs), database.Fault(err, nil)
}

// relistAble has the quotas shared out anew on lists that an agent holds which keeps to shares by now.
func (c *clients) relistAble(ctx context.Context) error {
	var nodeIDs []string
	err := c.store.db.In(ctx).NewRaw("select distinct node_id::text from client_list_nodes where not shares").
		Scan(ctx, &nodeIDs)
	if err != nil {
		return database.Fault(err, nil)
	}
	return c.store.db.InTx(ctx, func(ctx context.Context) error {
		flowIDs, err := c.able(ctx, nodeIDs)
		if err != nil || len(flowIDs) == 0 {
			return err
		}
		_, err = c.store.db.In(ctx).NewRaw("update client_lists set reshare = true where flow_id = any(?::uuid[])",
			pgdialect.Array(flowIDs)).Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		return c.relist(ctx, flowIDs...)
	})
}

// confirm notes which shares agents have in force by now. An agent that has lost its documents gets all of them anew.
func (c *clients) confirm(ctx context.Context) error {
	db := c.store.db.In(ctx)
	var nodeIDs []string
	err := db.NewRaw(`select node_id::text from client_list_nodes where shares
		union select node_id::text from client_shares where not confirmed`).Scan(ctx, &nodeIDs)
	if err != nil || len(nodeIDs) == 0 {
		return database.Fault(err, nil)
	}
	states, err := c.held.States(ctx, sharesDocument, nodeIDs...)
	if err != nil {
		return fmt.Errorf("read which shares agents hold: %w", err)
	}
	var ids []string
	var applied []int64
	for id, state := range states {
		ids, applied = append(ids, id), append(applied, state.Applied)
	}
	_, err = db.NewRaw(`with agents as (
			select * from unnest(?::uuid[], ?::bigint[]) as u (node_id, applied)
		), lost as (
			update client_shares s set confirmed = false, document = 0 from agents u
				where s.node_id = u.node_id and u.applied = 0 and s.confirmed
		), gone as (
			delete from client_shares s using agents u where s.node_id = u.node_id and s.no_quota
				and not s.confirmed and s.document between 1 and u.applied
		), held as (
			update client_shares s set confirmed = true, held = s.granted from agents u, client_shares o
				where s.node_id = u.node_id and not s.no_quota and not s.confirmed and s.document between 1 and u.applied
				and o.client_id = s.client_id and o.node_id = s.node_id
				returning s.client_id, o.held > s.granted as less
		)
		update client_profiles c set unshared = true from held h where h.less and c.id = h.client_id`,
		pgdialect.Array(append([]string{}, ids...)), pgdialect.Array(append([]int64{}, applied...))).Exec(ctx)
	return database.Fault(err, nil)
}

// quotaRow is a client with what is left of its quota.
type quotaRow struct {
	ID    string
	Quota *int64
	Used  int64
}

// unshared gives clients to be looked at, and notes that they are. One that is being changed waits for the next time.
func (s *store) unshared(ctx context.Context) (rows []quotaRow, err error) {
	err = s.db.In(ctx).NewRaw(`update client_profiles c set unshared = false where c.id in (
			select u.id from client_profiles u where u.unshared order by u.id limit ? for no key update skip locked)
		returning c.id, case when c.revoked_at is null then c.quota_bytes end as quota, c.used_up + c.used_down as used`,
		sharedAtOnce).Scan(ctx, &rows)
	return rows, database.Fault(err, nil)
}

// divide gives the entries of clients their shares. What an agent holds that was silent for long counts no more.
func (c *clients) divide(ctx context.Context, wanted []quotaRow) error {
	if len(wanted) == 0 {
		return nil
	}
	ids := make([]string, len(wanted))
	for i := range wanted {
		ids[i] = wanted[i].ID
	}
	rows, err := c.entries(ctx, ids)
	if err != nil {
		return err
	}
	var changed []*quota.Share
	for _, client := range wanted {
		of := rows[client.ID]
		if client.Quota == nil {
			for _, r := range of {
				r.End()
			}
		} else {
			live := slices.DeleteFunc(slices.Clone(of), func(r *quota.Share) bool { return r.NoQuota || r.Lost })
			quota.ByUse(live)
			quota.Split(max(0, *client.Quota-client.Used), quota.Slack(*client.Quota), live)
		}
		for _, r := range of {
			if r.Changed {
				changed = append(changed, r)
			}
		}
	}
	return c.store.putShares(ctx, changed)
}
