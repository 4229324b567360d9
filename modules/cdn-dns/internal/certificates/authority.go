package certificates

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/mholt/acmez/v3/acme"
	"github.com/uptrace/bun"

	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Directories of Let's Encrypt. What staging issues is trusted by nobody, and its budget is large.
const (
	LetsEncrypt = "https://acme-v02.api.letsencrypt.org/directory"
	Staging     = "https://acme-staging-v02.api.letsencrypt.org/directory"
)

// Authority is where certificates are ordered from.
type Authority struct {
	Directory string
	Email     string
	// KeyID and MACKey bind the account to one that the operator has with the authority; empty for none.
	KeyID, MACKey string
	// Roots are the certificates that prove the authority's own address, as PEM; empty for those of the system.
	Roots string
}

// link is a connection to an authority with the account that orders belong to.
type link struct {
	*acme.Client
	acme.Account
	answers *answers
	row     account
}

const pollTimeout = 2 * time.Minute

// connect opens the authority, and registers an account at the first time.
func (e *Engine) connect(ctx context.Context, authority Authority) (*link, error) {
	l, err := e.client(authority)
	if err != nil {
		return nil, err
	}
	if l.row, err = e.account(ctx, authority); err != nil {
		return l, err
	}
	plain, err := e.Vault.Open(accountRef(l.row.ID), l.row.Key)
	if err != nil {
		return l, fmt.Errorf("open the key of an account with an authority: %w", err)
	}
	key, err := readKey(plain)
	if err != nil {
		return l, err
	}
	l.Account = acme.Account{Status: acme.StatusValid, Location: l.row.Location, PrivateKey: key}
	if l.row.Location == "" {
		err = e.register(ctx, l, authority)
	}
	return l, err
}

func (e *Engine) client(authority Authority) (*link, error) {
	options := outbound.Options{
		Name: "acme", Service: "the certificate authority", Reach: outbound.Private, Timeout: time.Minute,
	}
	if authority.Roots != "" {
		options.Roots = x509.NewCertPool()
		if !options.Roots.AppendCertsFromPEM([]byte(authority.Roots)) {
			return nil, errors.New("read the root certificates of the authority: they are no PEM")
		}
	}
	seen := &answers{next: e.Network.RoundTripper(options), clock: e.Clock}
	return &link{answers: seen, Client: &acme.Client{
		Directory: authority.Directory, UserAgent: "panel", PollTimeout: pollTimeout,
		HTTPClient: &http.Client{Transport: seen, Timeout: time.Minute},
	}}, nil
}

// account is a row of certificate_accounts.
type account struct {
	bun.BaseModel `bun:"table:certificate_accounts,alias:a"`

	ID        string `bun:"id,pk,type:uuid"`
	Directory string `bun:"directory"`
	Email     string `bun:"email"`
	KeyID     string `bun:"key_id"`
	Location  string `bun:"location"`
	Key       string `bun:"key"`
}

// account gives the account for an authority. Its key is stored before it is registered, so that panels which register
// at the same time, or again after a kill, get one account: the authority knows it by the key.
func (e *Engine) account(ctx context.Context, authority Authority) (stored account, err error) {
	read := func() error {
		return e.DB.In(ctx).NewSelect().Model(&stored).Where("directory = ? and email = ? and key_id = ?",
			authority.Directory, authority.Email, authority.KeyID).Scan(ctx)
	}
	if err := read(); err == nil {
		return stored, nil
	}
	_, text, err := newKey()
	if err != nil {
		return stored, err
	}
	made := account{
		ID: database.NewID(), Directory: authority.Directory, Email: authority.Email, KeyID: authority.KeyID,
	}
	made.Key = e.Vault.Seal(accountRef(made.ID), text)
	_, err = e.DB.In(ctx).NewInsert().Model(&made).On("conflict do nothing").Exec(ctx)
	if err == nil {
		err = read()
	}
	if err != nil {
		return stored, database.Fault(fmt.Errorf("read the account with an authority: %w", err), nil)
	}
	return stored, nil
}

func (e *Engine) register(ctx context.Context, l *link, authority Authority) error {
	ask := acme.Account{TermsOfServiceAgreed: true, PrivateKey: l.PrivateKey}
	if authority.Email != "" {
		ask.Contact = []string{"mailto:" + authority.Email}
	}
	if authority.KeyID != "" {
		binding := acme.EAB{KeyID: authority.KeyID, MACKey: authority.MACKey}
		if err := ask.SetExternalAccountBinding(ctx, l.Client, binding); err != nil {
			return fmt.Errorf("bind the account to the external one: %w", err)
		}
	}
	made, err := l.NewAccount(ctx, ask)
	if err != nil {
		return fmt.Errorf("register an account: %w", err)
	}
	l.Account = made
	return e.locate(ctx, l.row.ID, made.Location)
}

// locate stores where the account is at the authority; empty lets it be registered anew.
func (e *Engine) locate(ctx context.Context, id, location string) error {
	_, err := e.DB.In(ctx).NewRaw("update certificate_accounts set location = ? where id = ?", location, id).Exec(ctx)
	if err != nil {
		return database.Fault(fmt.Errorf("store the account with an authority: %w", err), nil)
	}
	return nil
}

// answers hands requests on, counts what comes back and remembers until when the authority asked to wait.
type answers struct {
	next  http.RoundTripper
	clock clockwork.Clock

	mu    sync.Mutex
	until time.Time
	count int
}

// RoundTrip makes one request.
func (a *answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
	if response.StatusCode >= http.StatusBadRequest {
		if until := retryAfter(response.Header, a.clock.Now()); !until.IsZero() {
			a.until = until
		}
	}
	return response, nil
}

// received is how many answers there were, whatever they said.
func (a *answers) received() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.count
}

// hold is until when the authority asked to wait; zero when it did not.
func (a *answers) hold() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.until
}

// retryAfter reads both forms of the header, seconds and a date.
func retryAfter(header http.Header, now time.Time) time.Time {
	text := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds > 0 {
		return now.Add(time.Duration(seconds) * time.Second).UTC()
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.UTC()
	}
	return time.Time{}
}

// answered tells whether the authority has read the request and names a problem, its own included.
func answered(err error) bool {
	var problem acme.Problem
	return errors.As(err, &problem) && problem.Type != acme.ProblemTypeBadNonce
}

// refused tells whether the authority has decided, so that asking again at once changes nothing.
func refused(err error) bool {
	var problem acme.Problem
	if !errors.As(err, &problem) || problem.Type == acme.ProblemTypeBadNonce {
		return errors.Is(err, errRefused)
	}
	return problem.Status < http.StatusInternalServerError
}

var errRefused = errors.New("the authority has refused the order")

// known is what a fault says to people; empty for other errors.
func known(err error) string {
	if said, ok := fault.As(err); ok {
		return said.Detail
	}
	return ""
}

const longestError = 400

// describe says what went wrong, in the words of the authority where it has some, and without addresses.
func describe(err error) string {
	var problem acme.Problem
	text := err.Error()
	switch {
	case errors.As(err, &problem):
		text = strings.TrimPrefix(problem.Type, "urn:ietf:params:acme:error:") + ": " + problem.Detail
		for _, sub := range problem.Subproblems {
			text += "; " + sub.Identifier.Value + ": " + sub.Detail
		}
	case known(err) != "":
		text = known(err)
	case unreachable(err):
		reason, _ := outbound.Explain(err)
		text = "the certificate authority could not be used: " + reason
	}
	runes := []rune(text)
	return string(runes[:min(len(runes), longestError)])
}
