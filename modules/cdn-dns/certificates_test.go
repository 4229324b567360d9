package cdndns

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/cdn-dns/acmetest"
	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/doctor"
	"panel/platform/paneltest"
)

const (
	certificatesRoute = "/api/v1/certificates"
	certificateRules  = "/api/v1/dns/certificate-settings"
	bindingsRoute     = "/api/v1/node-domains"

	issuedWithin = 60 * time.Second
	every        = 50 * time.Millisecond
)

// ordering lets the panel order at an authority on this machine.
func (b *bench) ordering(changes ...map[string]any) acmetest.Authority {
	b.t.Helper()
	authority := acmetest.Pebble(b.t, b.cloud.Address, changes...)
	b.Admin().Put(certificateRules, fields{"revision": 0, "settings": fields{
		"authority": otherCA, "directory": authority.Directory(), "roots": authority.Roots, "email": "admin@example.org",
		"external_account": fields{"key_id": ""},
	}}).Is(http.StatusOK)
	return authority
}

// bind binds a name of the zone to a new node.
func (b *bench) bind(client *paneltest.Client, node, label, zone string) string {
	b.t.Helper()
	return client.Post(bindingsRoute, fields{
		"node_id": b.Admin().AddNode("node-" + node), "zone": zone, "label": label, "mode": "direct", "ttl": 60,
	}).Is(http.StatusCreated).Text("id")
}

// From nothing: an integration, a binding, its certificate from the authority. The second node of the zone has it too.
func TestABindingGetsItsCertificate(t *testing.T) {
	t.Parallel()
	b := newBench(t, "alpha.example")
	b.ordering()
	admin := b.Admin()
	first := b.bind(admin, "n1", "n1", "alpha.example")
	second := b.bind(admin, "n2", "n2", "alpha.example")
	renew := func(id string) *paneltest.Answer { return admin.Post(bindingsRoute+"/"+id+"/renew-certificate", nil) }
	renew(first).Refused(http.StatusUnprocessableEntity, certificates.CodeNoProof)
	require.Equal(t, "none", admin.Get(bindingsRoute+"/"+first).Is(http.StatusOK).Text("certificate.state"))

	b.add("our account")
	var ordered certificates.Certificate
	renew(first).Is(http.StatusAccepted).JSON(&ordered)
	require.Equal(t, []string{"*.alpha.example", "alpha.example"}, ordered.Names)
	for _, id := range []string{first, second} {
		require.Eventually(t, func() bool {
			return admin.Get(bindingsRoute+"/"+id).Text("certificate.state") == certificates.StateValid
		}, issuedWithin, every, "%s", admin.Get(certificatesRoute).Body)
	}
	shown := admin.Get(bindingsRoute + "/" + second).Is(http.StatusOK)
	require.Equal(t, "dns-01", shown.Text("certificate.challenge"))
	require.NotEmpty(t, shown.Text("certificate.issuer"))
	require.Equal(t, []string{certificates.ActionOrdered, certificates.KindIssued},
		b.Recorded(certificates.Object, ordered.ID))

	list := admin.Get(certificatesRoute).Is(http.StatusOK)
	require.NotContains(t, string(list.Body), "PRIVATE")
	require.NotContains(t, string(list.Body), "v1.", "nothing sealed either")
	var budgets BudgetList
	admin.Get(certificatesRoute + "/budgets").Is(http.StatusOK).JSON(&budgets)
	require.Equal(t, "alpha.example", budgets.Items[0].Domain)
	require.Equal(t, 1, budgets.Items[0].Issued)
	require.Contains(t, b.Scrape(), "panel_certificates 1")

	admin.Post(certificatesRoute+"/"+ordered.ID+"/renew", nil).Is(http.StatusAccepted)
	require.Eventually(t, func() bool {
		return admin.Get(certificatesRoute+"/"+ordered.ID).Text("fingerprint") != ordered.Fingerprint
	}, issuedWithin, every)
	admin.Delete(certificatesRoute + "/" + ordered.ID).Is(http.StatusNoContent)
	admin.Get(certificatesRoute+"/"+ordered.ID).Refused(http.StatusNotFound, "not_found")
}

// Decision 7 of the domain: a binding of somebody else gets exactly the answer of an unknown one.
func TestACertificateOfSomebodyElsesBinding(t *testing.T) {
	t.Parallel()
	b := newBench(t, "beta.example")
	b.add("our account")
	foreign := b.bind(b.Admin(), "n1", "n1", "beta.example")
	other := b.As(string(Manage), string(View))
	mine := strings.ReplaceAll(string(other.Post(bindingsRoute+"/"+foreign+"/renew-certificate", nil).
		Refused(http.StatusNotFound, "not_found").Body), foreign, "")
	unknown := "0198f3a0-0000-7000-8000-000000000000"
	theirs := strings.ReplaceAll(string(other.Post(bindingsRoute+"/"+unknown+"/renew-certificate", nil).
		Refused(http.StatusNotFound, "not_found").Body), unknown, "")
	require.Len(t, theirs, len(mine))
	require.Contains(t, string(b.Admin().Get(certificatesRoute).Body), `"items":[]`)
}

func TestSettingsOfCertificates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	require.Equal(t, letsEncrypt, admin.Get(certificateRules).Is(http.StatusOK).Text("settings.authority"))
	put := func(change fields) *paneltest.Answer {
		set := fields{
			"authority": letsEncrypt, "directory": "", "email": "", "roots": "", "external_account": fields{"key_id": ""},
		}
		for name, value := range change {
			set[name] = value
		}
		return admin.Put(certificateRules, fields{"revision": 0, "settings": set})
	}
	for what, change := range map[string]fields{
		"no directory":        {"authority": otherCA},
		"a directory of none": {"directory": "https://ca.example/dir"},
		"plain http":          {"authority": otherCA, "directory": "http://ca.example/dir"},
		"a metadata address":  {"authority": otherCA, "directory": "https://169.254.169.254/dir"},
		"no address":          {"email": "nobody"},
		"two addresses":       {"email": "a@b.example,c@d.example"},
		"no PEM":              {"roots": "canary"},
		"an id alone":         {"external_account": fields{"key_id": "kid"}},
		"no base64":           {"external_account": fields{"key_id": "kid", "mac_key": "canary!"}},
	} {
		require.NotContains(t, string(put(change).Refused(http.StatusUnprocessableEntity, "invalid_value").Body), "canary",
			what)
	}
	put(fields{"external_account": fields{"key_id": "kid", "mac_key": "c2VjcmV0LTctc2VjcmV0"}}).Is(http.StatusOK)
	shown := admin.Get(certificateRules).Is(http.StatusOK)
	require.Equal(t, true, shown.Value("settings.external_account.has_mac_key"))
	require.NotContains(t, string(shown.Body), "c2VjcmV0")
	require.Equal(t, certificates.Staging, (&CertificateSettings{Authority: staging}).authority().Directory)
}

// own is a certificate of the operator's own for a hundred days.
func own(t *testing.T, now time.Time) acmetest.Pair {
	t.Helper()
	return acmetest.NewRoot(t).Sign(now.Add(-time.Hour), now.Add(100*24*time.Hour), "own.example")
}

// What is uploaded is judged, and neither shown nor echoed.
func TestACertificateIsUploaded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	answer := admin.Post(certificatesRoute, fields{"chain": "canary", "key": "canary"})
	require.NotContains(t, string(answer.Refused(http.StatusUnprocessableEntity, "invalid_value").Body), "canary")
	pair := own(t, time.Now())
	shown := admin.Post(certificatesRoute, fields{"chain": pair.Chain, "key": pair.Key}).Is(http.StatusCreated)
	require.Equal(t, "upload", shown.Text("source"))
	require.NotContains(t, string(shown.Body), "BEGIN")
	admin.Post(certificatesRoute+"/"+shown.Text("id")+"/renew", nil).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
}

// Doctor says what has expired and what is about to, from the database.
func TestDoctorLooksAtCertificates(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	admin := b.Admin()
	look := func(at time.Time) doctor.Status {
		env := asked(b.DB.Pool.Config().ConnString())
		env.Now = func() time.Time { return at }
		return expiring(t.Context(), env).Status
	}
	now := time.Now()
	require.Equal(t, doctor.Skipped, look(now))
	pair := own(t, now)
	admin.Post(certificatesRoute, fields{"chain": pair.Chain, "key": pair.Key}).Is(http.StatusCreated)
	require.Equal(t, doctor.OK, look(now))
	require.Equal(t, doctor.Warning, look(now.Add(87*24*time.Hour)))
	require.Equal(t, doctor.Failed, look(now.Add(101*24*time.Hour)))
}
