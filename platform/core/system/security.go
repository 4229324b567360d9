package system

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/core/accounts"
	"panel/platform/database"
	"panel/platform/httpapi"
	"panel/platform/password"
	"panel/platform/vault"
)

// guarding tells what protects the running panel: the facts and the variables that set them, never a secret.
type guarding struct {
	cfg      *config.Config
	vault    *vault.Vault
	rotation *vault.Rotation
	db       *database.DB
}

func newGuarding(cfg *config.Config, v *vault.Vault, rotation *vault.Rotation, db *database.DB) *guarding {
	return &guarding{cfg: cfg, vault: v, rotation: rotation, db: db}
}

func (g *guarding) routes() httpapi.Routes {
	return httpapi.Under("/api/v1/system", "",
		httpapi.Get("/security", "Show what protects the panel and which variables set it", access.Needs(Manage),
			g.show),
	)
}

type securityInput struct {
	Forwarded string `header:"X-Forwarded-For" doc:"What a reverse proxy adds; it is compared with what the panel believes"`
}

type securityOutput struct {
	Body struct {
		PublicURL      publicAddress  `json:"public_url"`
		TrustedProxies trustedProxies `json:"trusted_proxies"`
		Session        sessionRules   `json:"session"`
		SignIn         signInRules    `json:"sign_in"`
		Password       passwordCost   `json:"password"`
		MasterKey      masterKey      `json:"master_key"`
		Journal        journalRules   `json:"journal"`
	}
}

type publicAddress struct {
	Variable string `json:"variable"`
	Given    bool   `json:"given" doc:"The operator set the variable"`
	Origin   string `json:"origin" doc:"Scheme and host; empty where it is not set"`
	HTTPS    bool   `json:"https"`
}

type trustedProxies struct {
	Variable string   `json:"variable"`
	Given    bool     `json:"given"`
	List     []string `json:"list"`
	Ignored  bool     `json:"ignored" doc:"This request came through a proxy that is not trusted, so its address stands for every browser"`
}

type sessionRules struct {
	Variable        string `json:"variable" doc:"Sets idle_seconds"`
	Given           bool   `json:"given"`
	IdleSeconds     int64  `json:"idle_seconds"`
	AbsoluteSeconds int64  `json:"absolute_seconds"`
}

type signInRules struct {
	FreeFailures        int   `json:"free_failures" doc:"Wrong passwords for one account from one address before it must wait"`
	FreeAddressFailures int   `json:"free_address_failures" doc:"The same for all accounts from one address"`
	LongestDelaySeconds int64 `json:"longest_delay_seconds"`
}

type passwordCost struct {
	Algorithm  string `json:"algorithm" example:"argon2id"`
	MemoryKiB  int    `json:"memory_kib"`
	Iterations int    `json:"iterations"`
	Lanes      int    `json:"lanes"`
}

type masterKey struct {
	Variable         string `json:"variable"`
	Source           string `json:"source" enum:"environment,file" doc:"file: made by the panel and kept in secret.key of the data folder"`
	PreviousVariable string `json:"previous_variable"`
	PreviousGiven    bool   `json:"previous_given" doc:"An earlier key is still set"`
	PreviousSecrets  int    `json:"previous_secrets" doc:"Secrets that the current key did not seal; counted while an earlier key is set"`
	Readable         bool   `json:"readable" doc:"The key opens the sample that is sealed in the database"`
}

type journalRules struct {
	Variable string `json:"variable"`
	Given    bool   `json:"given"`
	Days     int    `json:"days" doc:"0: for ever"`
}

func (g *guarding) show(ctx context.Context, in *securityInput) (*securityOutput, error) {
	out := &securityOutput{}
	key, err := g.masterKey(ctx)
	if err != nil {
		return nil, err
	}
	out.Body.MasterKey = key
	out.Body.PublicURL = g.publicURL()
	out.Body.TrustedProxies = g.proxies(in.Forwarded, access.From(ctx).IP)
	out.Body.Session, out.Body.SignIn = g.sessions(), signIn()
	cost := password.Today()
	out.Body.Password = passwordCost(cost)
	out.Body.Journal = journalRules{
		Variable: config.AuditRetention.Name, Given: g.cfg.Given(config.AuditRetention),
		Days: g.cfg.Int(config.AuditRetention),
	}
	return out, nil
}

func (g *guarding) publicURL() publicAddress {
	shown := publicAddress{Variable: config.PublicURL.Name, Given: g.cfg.Given(config.PublicURL)}
	if parsed, err := url.Parse(g.cfg.String(config.PublicURL)); err == nil && shown.Given {
		shown.Origin, shown.HTTPS = parsed.Scheme+"://"+parsed.Host, parsed.Scheme == "https"
	}
	return shown
}

func (g *guarding) proxies(forwarded, believed string) trustedProxies {
	shown := trustedProxies{
		Variable: config.TrustedProxies.Name, Given: g.cfg.Given(config.TrustedProxies),
		List: []string{},
	}
	shown.List = append(shown.List, g.cfg.List(config.TrustedProxies)...)
	shown.Ignored = forwarded != "" && !names(forwarded, believed)
	return shown
}

// names says whether the address is one of those that the header lists.
func names(forwarded, address string) bool {
	wanted, err := netip.ParseAddr(address)
	if err != nil {
		return true // a trusted proxy forwarded a word that is no address
	}
	for hop := range strings.SplitSeq(forwarded, ",") {
		if found, err := netip.ParseAddr(strings.Trim(strings.TrimSpace(hop), "[]")); err == nil &&
			found.Unmap() == wanted.Unmap() {
			return true
		}
	}
	return false
}

func (g *guarding) sessions() sessionRules {
	return sessionRules{
		Variable: config.SessionTTL.Name, Given: g.cfg.Given(config.SessionTTL),
		IdleSeconds:     seconds(g.cfg.Duration(config.SessionTTL, time.Hour)),
		AbsoluteSeconds: seconds(accounts.Fixed().SessionLife),
	}
}

func signIn() signInRules {
	fixed := accounts.Fixed()
	return signInRules{
		FreeFailures: fixed.FreeFailures, FreeAddressFailures: fixed.FreeAddressFailures,
		LongestDelaySeconds: seconds(fixed.LongestDelay),
	}
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// masterKey also opens the sample anew: what the start has proved may have changed since by a restored database.
func (g *guarding) masterKey(ctx context.Context) (masterKey, error) {
	shown := masterKey{
		Variable: config.SecretKey.Name, Source: "file",
		PreviousVariable: config.SecretKeyPrevious.Name, PreviousGiven: g.cfg.Given(config.SecretKeyPrevious),
	}
	if g.cfg.Given(config.SecretKey) {
		shown.Source = "environment"
	}
	err := g.vault.Check(ctx, g.db)
	if err != nil && !errors.Is(err, vault.ErrWrongKey) && !errors.Is(err, vault.ErrDamaged) {
		return shown, err
	}
	shown.Readable = err == nil
	if !shown.PreviousGiven {
		return shown, nil
	}
	left, err := g.rotation.Left(ctx, g.db)
	for _, n := range left {
		shown.PreviousSecrets += n
	}
	return shown, err
}
