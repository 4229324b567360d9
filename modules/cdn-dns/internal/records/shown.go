package records

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"panel/modules/domains/domainsapi"
	"panel/platform/database"
)

// States of a wanted record.
const (
	stateMissing = "missing" // nobody has written it yet, or nobody but a person can
	stateBlocked = "conflict"
)

// Wanted is a record that a binding wants.
type Wanted struct {
	Type  string `json:"type" enum:"A,AAAA,CNAME"`
	Name  string `json:"name"`
	Value string `json:"value"`
	TTL   int    `json:"ttl" doc:"Seconds"`
	State string `json:"state" enum:"missing,written,found,conflict" doc:"found: it stood there already and is left when the binding goes"`
}

// Detail is all that is known of the host name of a binding.
type Detail struct {
	DomainID      string     `json:"domain_id" format:"uuid"`
	Hostname      string     `json:"hostname"`
	State         string     `json:"state" enum:"pending,propagating,ok,mismatch,error"`
	Since         time.Time  `json:"since" doc:"Since when the state holds"`
	Managed       bool       `json:"managed" doc:"An integration holds the zone: the panel writes the records"`
	IntegrationID *string    `json:"integration_id" format:"uuid"`
	Wanted        []Wanted   `json:"wanted"`
	Conflicts     []Conflict `json:"conflicts" doc:"Records of somebody else at the name, which the panel does not touch"`
	Seen          []Answer   `json:"seen" doc:"What each name server answered at the last look"`
	ResolvedIPs   []string   `json:"resolved_ips"`
	LastError     string     `json:"last_error" doc:"Why the records could not be written"`
	CheckedAt     *time.Time `json:"checked_at"`
	NextCheckAt   time.Time  `json:"next_check_at"`
}

// Show gives what is known of a binding; a binding that nobody has looked at yet is pending.
func (e *Engine) Show(ctx context.Context, binding domainsapi.Domain) (Detail, error) {
	d := Detail{
		DomainID: binding.ID, Hostname: binding.Hostname, State: Pending, Since: e.now(), NextCheckAt: e.now(),
		Wanted: []Wanted{}, Conflicts: []Conflict{}, Seen: []Answer{}, ResolvedIPs: []string{},
	}
	var rows []watch
	err := e.DB.In(ctx).NewSelect().Model(&rows).Where("w.domain_id = ?", binding.ID).Scan(ctx)
	if err != nil || len(rows) == 0 {
		return d, database.Fault(err, nil)
	}
	w := rows[0]
	d.State, d.Since, d.IntegrationID, d.LastError = w.State, w.Since.UTC(), w.IntegrationID, w.Error
	d.Managed, d.CheckedAt, d.NextCheckAt = w.IntegrationID != nil, w.CheckedAt, w.NextAt.UTC()
	d.ResolvedIPs = append(d.ResolvedIPs, w.Resolved...)
	columns := map[*json.RawMessage]any{&w.Wanted: &d.Wanted, &w.Conflicts: &d.Conflicts, &w.Seen: &d.Seen}
	for column, into := range columns {
		if err := json.Unmarshal(*column, into); err != nil {
			return d, fmt.Errorf("read what was seen of a host name: %w", err)
		}
	}
	own, err := e.records(ctx, binding.ID)
	if err != nil {
		return d, err
	}
	for i := range d.Wanted {
		d.Wanted[i].State = stateOf(d.Wanted[i], own, len(d.Conflicts) > 0)
	}
	return d, nil
}

func stateOf(wanted Wanted, own []written, blocked bool) string {
	for _, r := range own {
		if r.Hostname == wanted.Name && r.Type == wanted.Type && r.Value == wanted.Value && r.Phase != phaseIntent {
			return r.Phase
		}
	}
	if blocked {
		return stateBlocked
	}
	return stateMissing
}

// Source tells bindings how their host names stand.
func Source() domainsapi.Source {
	return domainsapi.Source{
		Name: "records",
		SQL: `select n.id as domain_id, w.known from p n cross join lateral (
				select json_build_array(w.state, w.wanted -> 0 ->> 'type', w.resolved) as known
				from domain_watches w where w.domain_id = n.id limit 1) w`,
		Read: func(known []byte, _ time.Time) (domainsapi.State, error) {
			var s domainsapi.State
			err := json.Unmarshal(known, &[]any{&s.DNS, &s.RecordType, &s.ResolvedIPs})
			return s, err
		},
	}
}

const (
	checkWithin = 8 * time.Second
	checkEvery  = 100 * time.Millisecond
)

// Check has a binding looked at now and waits for it, for less than the ten seconds that a command line waits;
// what was known before is given then.
func (e *Engine) Check(ctx context.Context, binding domainsapi.Domain) (Detail, error) {
	if err := e.notice(ctx, false, binding.ID); err != nil {
		return Detail{}, err
	}
	before, err := e.read(ctx, binding.ID)
	if err != nil {
		return Detail{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	for {
		at, err := e.read(ctx, binding.ID)
		if err != nil {
			return Detail{}, err
		}
		if at.Looks > before.Looks {
			return e.Show(ctx, binding)
		}
		select {
		case <-waiting.Done():
			return e.Show(ctx, binding)
		case <-time.After(checkEvery):
		}
	}
}
