package certificates

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/libdns/libdns"
	"github.com/mholt/acmez/v3/acme"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/lease"
)

// ChallengeDNS proves names by records in their zone; only it proves a wildcard.
const ChallengeDNS = acme.ChallengeTypeDNS01

// record is a TXT record that proves a name.
type record struct {
	Hostname string `json:"hostname"` // of which the zone is found
	Name     string `json:"name"`     // whole name of the record
	Value    string `json:"value"`
}

const (
	recordTTL  = time.Minute
	withdrawIn = 30 * time.Second
)

// prove shows the authority that the names are ours, and asks it to sign when it is content.
func (e *Engine) prove(ctx context.Context, c *lease.Claim, o *order, l *link) error {
	at, err := l.GetOrder(ctx, l.Account, acme.Order{Location: o.Location})
	if err != nil {
		return fmt.Errorf("read the order: %w", err)
	}
	if at.Status == acme.StatusPending {
		if err := e.authorize(ctx, c, o, l, at.Authorizations); err != nil {
			return err
		}
		if at, err = l.GetOrder(ctx, l.Account, acme.Order{Location: o.Location}); err != nil {
			return fmt.Errorf("read the order: %w", err)
		}
	}
	switch at.Status {
	case acme.StatusReady, acme.StatusProcessing, acme.StatusValid:
		e.withdraw(ctx, c, o)
	case acme.StatusPending:
		return errors.New("the authority is not content with the proof yet")
	default:
		return refusal(at)
	}
	now := e.now()
	o.Stage, o.AskedAt = stageSigning, &now
	return e.save(ctx, c, o, "stage", "asked_at")
}

// proof is a challenge that is open.
type proof struct {
	authorization acme.Authorization
	challenge     acme.Challenge
}

// authorize writes the records of all open challenges and lets the authority look at them. When it is interrupted the
// records stay: the authority may be looking, and whoever goes on with the order needs them.
func (e *Engine) authorize(ctx context.Context, c *lease.Claim, o *order, l *link, addresses []string) error {
	var open []proof
	var records []record
	for _, address := range addresses {
		found, err := l.GetAuthorization(ctx, l.Account, address)
		if err != nil {
			return fmt.Errorf("read what the authority wants proved: %w", err)
		}
		if found.Status != acme.StatusPending {
			continue
		}
		one, err := challengeOf(found)
		if err != nil {
			return err
		}
		open = append(open, one)
		records = append(records, record{
			Hostname: found.Identifier.Value, Name: one.challenge.DNS01TXTRecordName(),
			Value: one.challenge.DNS01KeyAuthorization(),
		})
	}
	if err := e.present(ctx, c, o, records); err != nil {
		return err
	}
	for _, one := range open {
		if err := confirm(ctx, l, one); err != nil {
			return err
		}
	}
	return nil
}

func challengeOf(authorization acme.Authorization) (proof, error) {
	for _, one := range authorization.Challenges {
		if one.Type == ChallengeDNS {
			return proof{authorization: authorization, challenge: one}, nil
		}
	}
	return proof{}, fmt.Errorf("%w: it takes no proof by DNS", errRefused)
}

func confirm(ctx context.Context, l *link, one proof) error {
	if _, err := l.InitiateChallenge(ctx, l.Account, one.challenge); err != nil {
		return fmt.Errorf("have a name checked: %w", err)
	}
	if _, err := l.PollAuthorization(ctx, l.Account, one.authorization); err != nil {
		return fmt.Errorf("have a name checked: %w", err)
	}
	return nil
}

// present writes records; one that is there already is written once. They are noted before, beside those that a panel
// which died has noted, so that they are removed whoever dies.
func (e *Engine) present(ctx context.Context, c *lease.Claim, o *order, records []record) (err error) {
	noted := o.noted()
	for _, one := range records {
		if !slices.Contains(noted, one) {
			noted = append(noted, one)
		}
	}
	if o.Records, err = json.Marshal(noted); err != nil {
		return fmt.Errorf("note the records of an order: %w", err)
	}
	if err := e.save(ctx, c, o, "records"); err != nil {
		return err
	}
	for _, one := range records {
		zone, solver, err := e.Find(ctx, one.Hostname)
		if err != nil {
			return fmt.Errorf("%w: %w", errNoProof, err)
		}
		if _, err := solver.AppendRecords(ctx, zone, []libdns.Record{one.in(zone)}); err != nil {
			return fmt.Errorf("%w: %w", errNoProof, err)
		}
	}
	return nil
}

var errNoProof = errors.New("the record that proves the name could not be written")

func (r record) in(zone string) libdns.Record {
	return libdns.TXT{Name: libdns.RelativeName(r.Name, zone), Text: r.Value, TTL: recordTTL}
}

// noted are the records that are in a zone, or may be.
func (o *order) noted() (records []record) {
	if json.Unmarshal(o.Records, &records) != nil {
		return nil // they are written by present alone
	}
	return records
}

// withdraw removes the records of an order that its panel drives. What cannot be removed now is removed later by sweep.
func (e *Engine) withdraw(ctx context.Context, c *lease.Claim, o *order) {
	if len(o.noted()) == 0 {
		return
	}
	err := e.clean(ctx, o)
	if err == nil {
		err = e.save(ctx, c, o, "records")
	}
	if err != nil {
		e.Log.Warn("records that proved names could not be removed", zap.String("order", o.ID), zap.Error(err))
	}
}

func (e *Engine) clean(ctx context.Context, o *order) error {
	ctx, cancel := context.WithTimeout(ctx, withdrawIn)
	defer cancel()
	var failed []error
	for _, one := range o.noted() {
		zone, solver, err := e.Find(ctx, one.Hostname)
		if err == nil {
			_, err = solver.DeleteRecords(ctx, zone, []libdns.Record{one.in(zone)})
		}
		failed = append(failed, err)
	}
	o.Records = json.RawMessage("[]")
	return errors.Join(failed...)
}

// sweepFor is how long it is tried to remove the records of an order that has ended.
const sweepFor = 7 * 24 * time.Hour

// sweep removes records that orders which have ended left behind.
func (e *Engine) sweep(ctx context.Context) error {
	var orders []order
	err := e.DB.In(ctx).NewSelect().Model(&orders).
		Where("o.records <> '[]' and o.finished_at > ?", e.now().Add(-sweepFor)).
		Order("o.finished_at").Limit(mostAtOnce).Scan(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("look for records that are left behind: %w", err), nil)
	}
	problems := []error{}
	for i := range orders {
		err := e.clean(ctx, &orders[i])
		if err == nil {
			_, err = e.DB.In(ctx).NewUpdate().Model(&orders[i]).Column("records").WherePK().Exec(ctx)
		}
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
