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
	"panel/platform/fault"
	"panel/platform/lease"
)

// Ways to prove a name. A record in its zone goes first, and only it proves a wildcard; where no integration holds the
// zone, the node that the name leads to answers.
const (
	ChallengeDNS  = acme.ChallengeTypeDNS01
	ChallengeHTTP = acme.ChallengeTypeHTTP01
)

// record is a TXT record that proves a name.
type record struct {
	Hostname string `json:"hostname"` // of which the zone is found
	Name     string `json:"name"`     // whole name of the record
	Value    string `json:"value"`
}

const (
	recordTTL  = time.Minute
	withdrawIn = 30 * time.Second

	lookAgain   = 250 * time.Millisecond // while nodes take their answers
	shownWithin = 2 * time.Minute        // from the beginning of the order
)

// prove shows the authority that the names are ours, and asks it to sign when it is content.
func (e *Engine) prove(ctx context.Context, c *lease.Claim, o *order, l *link) (lease.Next, error) {
	at, err := l.GetOrder(ctx, l.Account, acme.Order{Location: o.Location})
	if err != nil {
		return lease.Again(), fmt.Errorf("read the order: %w", err)
	}
	if at.Status == acme.StatusPending {
		if shown, err := e.authorize(ctx, c, o, l, at.Authorizations); err != nil || !shown {
			return lease.After(lookAgain), err
		}
		if at, err = l.GetOrder(ctx, l.Account, acme.Order{Location: o.Location}); err != nil {
			return lease.Again(), fmt.Errorf("read the order: %w", err)
		}
	}
	switch at.Status {
	case acme.StatusReady, acme.StatusProcessing, acme.StatusValid:
		e.withdraw(ctx, c, o)
	case acme.StatusPending:
		return lease.Again(), errors.New("the authority is not content with the proof yet")
	default:
		return lease.Again(), refusal(at)
	}
	now := e.now()
	o.Stage, o.AskedAt = stageSigning, &now
	return lease.Again(), e.save(ctx, c, o, "stage", "asked_at")
}

// proof is a challenge that is open.
type proof struct {
	authorization acme.Authorization
	challenge     acme.Challenge
}

// authorize shows the proofs of all open challenges and lets the authority look at them; it gives false while a node
// does not answer yet. When it is interrupted the proofs stay: the authority may be looking, and whoever goes on with
// the order needs them.
func (e *Engine) authorize(
	ctx context.Context, c *lease.Claim, o *order, l *link, addresses []string,
) (shown bool, err error) {
	open, err := e.open(ctx, l, addresses)
	if err != nil {
		return false, err
	}
	var records []record
	var answers []Answer
	for _, one := range open {
		host, challenge := one.authorization.Identifier.Value, one.challenge
		if challenge.Type == ChallengeHTTP {
			answers = append(answers, Answer{Host: host, Token: challenge.Token, Text: challenge.KeyAuthorization})
			continue
		}
		records = append(records, record{
			Hostname: host, Name: challenge.DNS01TXTRecordName(), Value: challenge.DNS01KeyAuthorization(),
		})
	}
	if shown, err := e.answered(ctx, o, answers); err != nil || !shown {
		return false, err
	}
	if err := e.present(ctx, c, o, records); err != nil {
		return false, err
	}
	for _, one := range open {
		if err := confirm(ctx, l, one); err != nil {
			return false, err
		}
	}
	return true, nil
}

// open gives the challenges that are to be met.
func (e *Engine) open(ctx context.Context, l *link, addresses []string) (all []proof, err error) {
	for _, address := range addresses {
		found, err := l.GetAuthorization(ctx, l.Account, address)
		if err != nil {
			return nil, fmt.Errorf("read what the authority wants proved: %w", err)
		}
		if found.Status != acme.StatusPending {
			continue
		}
		one, err := e.challengeOf(ctx, found)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (e *Engine) challengeOf(ctx context.Context, authorization acme.Authorization) (proof, error) {
	way := ChallengeDNS
	if !authorization.Wildcard {
		found, _, err := e.Way(ctx, authorization.Identifier.Value)
		if err != nil {
			return proof{}, fmt.Errorf("%w: %w", errNoProof, err)
		}
		way = found
	}
	for _, one := range authorization.Challenges {
		if one.Type == way {
			return proof{authorization: authorization, challenge: one}, nil
		}
	}
	return proof{}, fmt.Errorf("%w: it takes no proof by %s", errRefused, way)
}

// Way is how a host name is proved, and the zone where that is done by records in it.
// Fault: certificate_zone_unknown (422) when neither a record of its zone nor a node can prove it.
func (e *Engine) Way(ctx context.Context, host string) (way, zone string, err error) {
	zone, _, err = e.Find(ctx, host)
	lacking := "no integration holds the zone of this host name"
	switch {
	case err == nil && provable(host, zone):
		return ChallengeDNS, zone, nil
	case err == nil:
		lacking = "this host name is too long for a record that proves it"
	case !errors.Is(err, ErrNoZone):
		return "", "", err
	}
	why, err := e.Answers.Can(ctx, host)
	if err != nil {
		return "", "", err
	}
	if why != "" {
		return "", "", fault.Invalid("certificate_zone_unknown", lacking+", and "+why+
			"; add an integration, or upload a certificate")
	}
	return ChallengeHTTP, "", nil
}

const (
	proofLabel  = "_acme-challenge."
	longestName = 253
)

// provable tells whether the record that proves the certificate of a host name has a name that DNS can hold.
func provable(host, zone string) bool {
	names := NamesFor(host, zone)
	return len(proofLabel)+len(names[len(names)-1]) <= longestName
}

// answered lets nodes answer. One that stays away for long is an error, so that the order ends some day.
func (e *Engine) answered(ctx context.Context, o *order, answers []Answer) (bool, error) {
	if len(answers) == 0 {
		return true, nil
	}
	shown, err := e.Answers.Show(ctx, o.ID, answers...)
	if err == nil && !shown && e.now().Sub(o.CreatedAt) > shownWithin {
		return false, fmt.Errorf("%w: it does not take the answer; is its agent online?", ErrNoAnswer)
	}
	return shown, err
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
