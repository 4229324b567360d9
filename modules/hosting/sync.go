package hosting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"panel/modules/hosting/internal/cloud"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/fault"
	"panel/platform/jobs"
	"panel/platform/operations"
)

// syncKind is that of the jobs and of the schedule.
const syncKind = "hosting.sync"

// Bounds of a pass over one account: a hundred pages at the pace of the slowest provider, with its pauses.
const syncWithin = 5 * time.Minute

// syncArgs say which account to read; without one it is all whose providers are called.
type syncArgs struct {
	AccountID string `json:"account_id,omitempty"`
}

// Kind names the worker.
func (syncArgs) Kind() string { return syncKind }

// syncSchedule goes on in read-only mode and without the feature: it only reads.
func syncSchedule() jobs.Schedule {
	const jitter = 10 * time.Minute
	return jobs.Schedule{
		Name: syncKind, Cron: "5 * * * *", Jitter: jitter, Feature: feature, ReadOnly: entitlement.GoesOn,
		Blocked: entitlement.GoesOn, Args: func() jobs.Args { return syncArgs{} },
	}
}

func (m *machines) worker() jobs.Worker {
	const together, tries = 4, 3
	return jobs.Worker{
		Kind: syncKind, Limit: together, Attempts: tries, Timeout: syncWithin + time.Minute, Work: jobs.Do(m.work),
	}
}

// SyncStarted is the operation that reads an account.
type SyncStarted struct {
	OperationID string `json:"operation_id" format:"uuid"`
}

var errSyncActive = fault.Conflict("hosting_sync_active", "the machines of this account are being read already")

// begin has an account read, as an operation of the context's caller. Faults: not_found (404), not_able,
// hosting_sync_active (409).
func (m *machines) begin(ctx context.Context, id string) (started SyncStarted, err error) {
	row, err := m.store.account(ctx, id)
	if err != nil {
		return started, err
	}
	if kind := m.providers.Kind(row.Kind); !kind.Can(cloud.CanServers) {
		return started, cloud.NotAble(kind)
	}
	follow := operations.New{About: operations.About{Type: objectAccount, ID: row.ID, Name: row.Label}}
	err = m.store.db.InTx(ctx, func(ctx context.Context) error {
		err := m.queue.Insert(ctx, syncArgs{AccountID: id}, jobs.Opts{Unique: "person/" + id, Operation: &follow})
		switch {
		case err != nil:
			return fmt.Errorf("have the machines of an account read: %w", err)
		case follow.ID == "":
			return errSyncActive
		}
		return m.journal.Record(ctx, m.store.db.In(ctx), audit.Entry{Action: syncStarted, Object: row.object()})
	})
	return SyncStarted{follow.ID}, err
}

// work reads one account, or has each read by a job of its own, so that a slow provider delays no other.
func (m *machines) work(ctx context.Context, job jobs.Job, args syncArgs) error {
	if args.AccountID != "" {
		return m.read(ctx, job, args.AccountID)
	}
	if err := m.matchEntries(ctx); err != nil {
		return err
	}
	ids, err := m.store.called(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := m.queue.Insert(ctx, syncArgs{AccountID: id}, jobs.Opts{Unique: id}); err != nil {
			return fmt.Errorf("have the machines of an account read: %w", err)
		}
	}
	return nil
}

// read asks the provider first and writes afterwards, all in one transaction with the end of the job. What a provider
// refuses is told by the account; only who asked for the pass is told by the operation as well.
func (m *machines) read(ctx context.Context, job jobs.Job, id string) error {
	row, err := m.store.account(ctx, id)
	if fault.KindOf(err) == fault.KindMissing {
		return nil
	} else if err != nil {
		return err
	}
	asked, err := m.store.moment(ctx)
	if err != nil {
		return err
	}
	seen, found, failure := m.ask(ctx, job, &row)
	if failure != nil && cloud.ProblemOf(failure) == nil {
		return failure
	}
	err = m.store.db.InTx(ctx, func(ctx context.Context) error {
		if err := m.note(ctx, row.ID, row.Revision, seen, failure); err != nil {
			return err
		}
		if failure == nil {
			if err := m.keep(ctx, &row, found, asked); err != nil {
				return err
			}
		} else if job.Operation() != "" {
			return nil
		}
		return job.Finish(ctx)
	})
	if err == nil && failure != nil && job.Operation() != "" {
		return jobs.Permanent(failure)
	}
	return err
}

// ask looks at the account and reads its machines.
func (m *machines) ask(
	ctx context.Context, job jobs.Job, row *accountRow,
) (seen cloud.Account, found []serverRow, err error) {
	const looked, listed = 10, 80
	ctx, cancel := context.WithTimeout(ctx, syncWithin)
	defer cancel()
	client, err := m.open(row)
	if err != nil {
		return seen, nil, err
	}
	if seen, err = client.Look(ctx); err != nil {
		return seen, nil, err
	}
	if err := job.Progress(ctx, looked); err != nil {
		return seen, nil, err
	}
	all, err := client.Servers(ctx)
	if err != nil {
		return seen, nil, err
	}
	if err := job.Progress(ctx, listed); err != nil {
		return seen, nil, err
	}
	owned, err := m.owners(ctx)
	if err != nil {
		return seen, nil, err
	}
	found, err = rows(all, owned)
	return seen, found, err
}

// rows are what a provider told, as the table keeps it. Of two machines with the same id the first counts.
func rows(all []cloud.Server, owned owners) ([]serverRow, error) {
	list, known := []serverRow{}, map[string]bool{}
	for i := range all {
		one := &all[i]
		if known[one.ID] || one.ID == "" {
			continue
		}
		known[one.ID] = true
		row := serverRow{
			ID: database.NewID(), ExternalID: one.ID, Name: one.Name, Status: one.Status, Region: one.Region,
			Plan: one.Plan,
			VCPU: int64(one.Specs.VCPU), Mem: one.Specs.Mem, Disk: one.Specs.Disk, NextDueAt: utc(one.NextDueAt),
			NodeID: owned.of(append(append([]string{}, one.IPv4...), one.IPv6...)...),
		}
		row.setPrice(one.Price)
		var err4, err6 error
		row.IPv4, err4 = json.Marshal(append([]string{}, one.IPv4...))
		row.IPv6, err6 = json.Marshal(append([]string{}, one.IPv6...))
		if err := errors.Join(err4, err6, row.setTags(one.Tags)); err != nil {
			return nil, fmt.Errorf("write a machine: %w", err)
		}
		list = append(list, row)
	}
	return list, nil
}

// keep writes what a pass has found, unless the account has changed meanwhile or a later pass was faster.
func (m *machines) keep(ctx context.Context, row *accountRow, found []serverRow, asked time.Time) error {
	taken, err := m.store.stamp(ctx, row.ID, row.Revision, asked)
	if err != nil || !taken {
		return err
	}
	if err := m.store.put(ctx, row.ID, found); err != nil {
		return err
	}
	return m.store.lose(ctx, row.ID, found, asked)
}

// moment is now by the database's clock, which all panels share.
func (s *store) moment(ctx context.Context) (now time.Time, err error) {
	err = s.db.In(ctx).NewRaw("select clock_timestamp()").Scan(ctx, &now)
	return now, database.Fault(err, nil)
}

// stamp notes that an account was read as of a moment; false where it has changed or was read later.
func (s *store) stamp(ctx context.Context, id string, revision int64, asked time.Time) (bool, error) {
	done, err := s.db.In(ctx).NewRaw(`update hosting_accounts set last_sync_at = ?
		where id = ? and revision = ? and
			(last_sync_at is null or last_sync_at < ?)`, asked, id, revision, asked).Exec(ctx)
	if err != nil {
		return false, database.Fault(fmt.Errorf("note when an account was read: %w", err), nil)
	}
	n, err := done.RowsAffected()
	return n > 0, err
}

// matchEntries finds the nodes of machines that were entered by hand: nodes may have come, moved or gone since.
func (m *machines) matchEntries(ctx context.Context) error {
	owned, err := m.owners(ctx)
	if err != nil {
		return err
	}
	entries, err := m.store.entries(ctx)
	if err != nil {
		return err
	}
	for i := range entries {
		row := &entries[i]
		now := owned.of(append(texts(row.IPv4), texts(row.IPv6)...)...)
		if now == nil && row.NodeID == nil || now != nil && row.NodeID != nil && *now == *row.NodeID {
			continue
		}
		if err := m.store.bind(ctx, row, now); err != nil {
			return err
		}
	}
	return nil
}

// entries gives all machines that were entered by hand.
func (s *store) entries(ctx context.Context) (list []serverRow, err error) {
	err = s.db.In(ctx).NewSelect().Model(&list).ColumnExpr("s.*").
		Join("join hosting_accounts a on a.id = s.account_id").
		Where("a.kind = ? and s.gone_at is null", cloud.Custom).OrderExpr("s.id").Scan(ctx)
	return list, database.Fault(err, nil)
}

// bind notes the node of a machine that nobody has changed since.
func (s *store) bind(ctx context.Context, row *serverRow, nodeID *string) error {
	_, err := s.db.In(ctx).NewRaw(`update hosting_servers set node_id = ?, updated_at = now(), revision = revision + 1
		where id = ? and revision = ?`, nodeID, row.ID, row.Revision).Exec(ctx)
	return database.Fault(err, nil)
}
