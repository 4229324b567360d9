package certificates

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/mholt/acmez/v3/acme"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/lease"
)

// Stages of an order.
const (
	stageNew     = "new"     // the authority knows nothing of it, or nothing that counts
	stageOrdered = "ordered" // the authority has the order and wants proof
	stageSigning = "signing" // the authority was asked to sign
	stageDone    = "done"
	stageFailed  = "failed"
)

// step brings an order one stage further. What it has been told is stored before it goes on, so that the next one to
// take it over continues with the same order and the same key: a certificate that was signed is fetched, not ordered
// again.
func (e *Engine) step(ctx context.Context, c *lease.Claim) (lease.Next, error) {
	o, err := e.order(ctx, c.ID)
	if err != nil || o.FinishedAt != nil {
		return lease.Done(), err
	}
	authority, err := e.Settings(ctx)
	if err != nil {
		return lease.Done(), err
	}
	if o.CertificateID == nil || authority.Directory != o.Directory {
		return lease.Done(), e.failed(ctx, c, o, errors.New("the certificate or its authority was changed"), time.Time{})
	}
	l, err := e.connect(ctx, authority)
	next := lease.Again()
	if err == nil {
		next, err = e.advance(ctx, c, o, l)
	}
	switch {
	case err == nil, errors.Is(err, lease.ErrLost), ctx.Err() != nil:
		return next, err
	case forgotten(err):
		return lease.Again(), errors.Join(e.locate(ctx, l.row.ID, ""), e.restart(ctx, c, o), errRegister)
	case refused(err), errors.Is(err, ErrNoAnswer), l != nil && !l.answers.hold().IsZero():
		return lease.Done(), e.failed(ctx, c, o, err, l.answers.hold())
	}
	return next, errors.New(describe(err))
}

var errRegister = errors.New("the authority does not know the account any more; it is registered anew")

// forgotten tells whether the authority has lost the account.
func forgotten(err error) bool {
	var problem acme.Problem
	return errors.As(err, &problem) && problem.Type == acme.ProblemTypeAccountDoesNotExist
}

// unreachable tells whether an error comes from the network and not from an answer.
func unreachable(err error) bool {
	var address *url.Error
	var network net.Error
	return errors.As(err, &address) || errors.As(err, &network)
}

func (e *Engine) advance(ctx context.Context, c *lease.Claim, o *order, l *link) (lease.Next, error) {
	switch o.Stage {
	case stageNew:
		return lease.Again(), e.request(ctx, c, o, l)
	case stageOrdered:
		return e.prove(ctx, c, o, l)
	}
	return e.collect(ctx, c, o, l)
}

func (e *Engine) order(ctx context.Context, id string) (*order, error) {
	o := new(order)
	return o, database.Fault(e.DB.In(ctx).NewSelect().Model(o).Where("o.id = ?", id).Scan(ctx), nil)
}

func (e *Engine) save(ctx context.Context, c *lease.Claim, o *order, columns ...string) error {
	return c.InTx(ctx, func(ctx context.Context) error {
		_, err := e.DB.In(ctx).NewUpdate().Model(o).Column(columns...).WherePK().Exec(ctx)
		return database.Fault(err, nil)
	})
}

// request makes the key and hands the order in. A renewal names the certificate that it replaces, which the authority
// then leaves out of its own budget.
func (e *Engine) request(ctx context.Context, c *lease.Claim, o *order, l *link) error {
	if o.Key == "" {
		_, text, err := newKey()
		if err != nil {
			return err
		}
		o.Key = e.Vault.Seal(orderRef(o.ID), text)
	}
	ask := acme.Order{Replaces: e.replaced(ctx, o, l)}
	for _, name := range o.Names {
		ask.Identifiers = append(ask.Identifiers, acme.Identifier{Type: "dns", Value: name})
	}
	made, err := l.NewOrder(ctx, l.Account, ask)
	if err != nil && ask.Replaces != "" && answered(err) && l.answers.hold().IsZero() {
		ask.Replaces = "" // it was replaced already, is of another authority, or this one does not find it
		made, err = l.NewOrder(ctx, l.Account, ask)
	}
	if err != nil {
		return fmt.Errorf("hand in an order: %w", err)
	}
	o.Location, o.Stage = made.Location, stageOrdered
	return e.save(ctx, c, o, "key", "location", "stage")
}

// replaced is how the authority calls the certificate in use; empty where it does not ask for that.
func (e *Engine) replaced(ctx context.Context, o *order, l *link) string {
	directory, err := l.GetDirectory(ctx)
	if err != nil || directory.RenewalInfo == "" || !o.Renewal {
		return ""
	}
	r, err := e.read(ctx, *o.CertificateID, false)
	if err != nil {
		return ""
	}
	leaf, err := leafOf(r.Chain)
	if err != nil {
		return ""
	}
	id, err := acme.ARIUniqueIdentifier(leaf)
	if err != nil {
		return ""
	}
	return id
}

// restart forgets an order that the authority does not know any more. Its key was signed by nobody.
func (e *Engine) restart(ctx context.Context, c *lease.Claim, o *order) error {
	o.Location, o.Stage, o.AskedAt = "", stageNew, nil
	return e.save(ctx, c, o, "location", "stage", "asked_at")
}

const processing = 3 * time.Second

// collect lets the authority sign and stores what it signed.
func (e *Engine) collect(ctx context.Context, c *lease.Claim, o *order, l *link) (lease.Next, error) {
	at, err := l.GetOrder(ctx, l.Account, acme.Order{Location: o.Location})
	if err != nil {
		return lease.Again(), fmt.Errorf("read the order: %w", err)
	}
	key, err := e.Vault.Open(orderRef(o.ID), o.Key)
	if err != nil {
		return lease.Done(), fmt.Errorf("open the key of an order: %w", err)
	}
	switch at.Status {
	case acme.StatusReady:
		if at, err = e.sign(ctx, l, at, o, key); err != nil {
			return lease.Again(), err
		}
	case acme.StatusProcessing:
		return lease.After(processing), nil
	case acme.StatusValid:
	default:
		return lease.Done(), refusal(at)
	}
	chains, err := l.GetCertificateChain(ctx, l.Account, at.Certificate)
	if err != nil || len(chains) == 0 {
		return lease.Again(), fmt.Errorf("fetch the certificate: %w", errors.Join(err, errNoChain(chains)))
	}
	// Its dates are not judged: when the clock of the panel is wrong, the certificate is good all the same.
	leaf, err := checkPair(chains[0].ChainPEM, key, o.Names...)
	if err != nil {
		return lease.Done(), fmt.Errorf("%w: %w", errRefused, err)
	}
	return lease.Done(), e.issued(ctx, c, o, leaf, chains[0].ChainPEM, key)
}

func errNoChain(chains []acme.Certificate) error {
	if len(chains) > 0 {
		return nil
	}
	return errors.New("the authority gave none")
}

func (e *Engine) sign(ctx context.Context, l *link, at acme.Order, o *order, key []byte) (acme.Order, error) {
	signer, err := readKey(key)
	if err != nil {
		return at, err
	}
	request, err := requestFor(signer, o.Names)
	if err != nil {
		return at, err
	}
	if at, err = l.FinalizeOrder(ctx, l.Account, at, request); err != nil {
		return at, fmt.Errorf("have the certificate signed: %w", err)
	}
	return at, nil
}

func requestFor(signer crypto.Signer, names []string) ([]byte, error) {
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: names}, signer)
	if err != nil {
		return nil, fmt.Errorf("make the request for a certificate: %w", err)
	}
	return request, nil
}

// refusal is why an order can come to nothing any more.
func refusal(at acme.Order) error {
	if at.Error != nil {
		return fmt.Errorf("%w: %w", errRefused, *at.Error)
	}
	return errRefused
}

// issued puts the new certificate in the place of the one before.
func (e *Engine) issued(
	ctx context.Context, c *lease.Claim, o *order, leaf *x509.Certificate, chain, key []byte,
) error {
	return c.InTx(ctx, func(ctx context.Context) error {
		r, err := e.read(ctx, *o.CertificateID, true)
		if err != nil {
			return err
		}
		e.hold(r, leaf, chain, key)
		renew, now := thirdLeft(*r.NotBefore, *r.NotAfter), e.now()
		r.RenewAt, r.AskAt = &renew, &now
		if err := e.write(ctx, r, held...); err != nil {
			return err
		}
		if err := e.end(ctx, o, stageDone, ""); err != nil {
			return err
		}
		if err := e.changed(ctx, r.Names); err != nil {
			return err
		}
		news := News{Names: r.Names, Issuer: r.Issuer, NotAfter: *r.NotAfter}
		return e.publish(ctx, r, KindIssued, audit.OK, news)
	})
}

// end closes an order; neither its key nor the answers of nodes are kept.
func (e *Engine) end(ctx context.Context, o *order, stage, reason string) error {
	now := e.now()
	o.Stage, o.Error, o.FinishedAt, o.Key = stage, reason, &now, ""
	_, err := e.DB.In(ctx).NewUpdate().Model(o).Column("stage", "error", "finished_at", "key", "asked_at").WherePK().
		Exec(ctx)
	if err != nil {
		return database.Fault(err, nil)
	}
	return e.Answers.Withdraw(ctx, o.ID)
}

func (e *Engine) publish(ctx context.Context, r *row, kind string, result string, news News) error {
	entry := audit.Entry{Action: kind, Object: r.object(), Result: result}
	if err := e.Journal.Record(ctx, e.DB.In(ctx), entry); err != nil {
		return err
	}
	return e.Bus.Emit(ctx, events.Event{Kind: kind, SubjectID: r.ID, At: e.now(), Data: news})
}
