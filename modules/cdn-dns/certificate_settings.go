package cdndns

import (
	"crypto/x509"
	"encoding/base64"
	"strings"

	"panel/modules/cdn-dns/internal/certificates"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/settings"
)

// The authorities that a name is enough for; of another one its directory is given.
const (
	letsEncrypt = "letsencrypt"
	staging     = "letsencrypt-staging"
	otherCA     = "other"
)

const certificateSettingsChanged = "dns.certificate_settings_changed"

// CertificateSettings say where certificates are ordered.
type CertificateSettings struct {
	Authority string          `json:"authority" enum:"letsencrypt,letsencrypt-staging,other" doc:"What staging issues is trusted by nobody; it is for trying"`
	Directory string          `json:"directory" maxLength:"300" doc:"Address of the ACME directory of another authority"`
	Email     string          `json:"email" maxLength:"254" doc:"Where the authority may write to; empty: nowhere"`
	External  ExternalAccount `json:"external_account"`
	Roots     string          `json:"roots" maxLength:"65536" doc:"PEM of the root that proves the authority's own address; empty: those of the system"`
}

// ExternalAccount binds the panel's account to one that the operator has with the authority.
type ExternalAccount struct {
	KeyID  string          `json:"key_id" maxLength:"300"`
	MACKey settings.Secret `json:"mac_key,omitempty" maxLength:"1024" doc:"Base64 for addresses; absent: the stored one stays; empty: it is removed"`
}

// ShownCertificateSettings are the settings without their secret.
type ShownCertificateSettings struct {
	Authority string               `json:"authority" enum:"letsencrypt,letsencrypt-staging,other"`
	Directory string               `json:"directory"`
	Email     string               `json:"email"`
	External  ShownExternalAccount `json:"external_account"`
	Roots     string               `json:"roots"`
}

// ShownExternalAccount says whether the key is set.
type ShownExternalAccount struct {
	KeyID     string `json:"key_id"`
	HasMACKey bool   `json:"has_mac_key"`
}

func openCertificateSettings(s *settings.Store, network *outbound.Network) *settings.Doc[CertificateSettings] {
	check := func(v *CertificateSettings) error { return v.check(network) }
	return settings.Open(s, "certificates", certificateSettingsChanged, CertificateSettings{Authority: letsEncrypt}, check)
}

func shownCertificateSettings(s CertificateSettings) ShownCertificateSettings {
	return ShownCertificateSettings{
		Authority: s.Authority, Directory: s.Directory, Email: s.Email, Roots: s.Roots,
		External: ShownExternalAccount{KeyID: s.External.KeyID, HasMACKey: s.External.MACKey.Set()},
	}
}

func (s *CertificateSettings) authority() certificates.Authority {
	a := certificates.Authority{
		Directory: certificates.LetsEncrypt, Email: s.Email, Roots: s.Roots, KeyID: s.External.KeyID,
		MACKey: s.External.MACKey.Reveal(),
	}
	switch s.Authority {
	case staging:
		a.Directory = certificates.Staging
	case otherCA:
		a.Directory = s.Directory
	}
	return a
}

// check refuses what could never work.
func (s *CertificateSettings) check(network *outbound.Network) error {
	if (s.Authority == otherCA) != (s.Directory != "") {
		return fault.InvalidValue("settings.directory", "another authority is given by its directory, and only that")
	}
	if s.Directory != "" {
		address, err := network.Address(s.Directory, outbound.Private)
		if err != nil || address.Scheme != "https" || address.User != nil || address.Fragment != "" {
			return fault.InvalidValue("settings.directory", "must be an https address that the panel may call")
		}
	}
	if local, host, _ := strings.Cut(s.Email, "@"); s.Email != "" && (local == "" || host == "" ||
		strings.ContainsAny(s.Email, " ,;<>\r\n\t?")) {
		return fault.InvalidValue("settings.email", "must be one e-mail address")
	}
	if s.Roots != "" && !x509.NewCertPool().AppendCertsFromPEM([]byte(s.Roots)) {
		return fault.InvalidValue("settings.roots", "must be certificates as PEM")
	}
	key := s.External.MACKey.Reveal()
	if _, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(key, "=")); err != nil {
		return fault.InvalidValue("settings.external_account.mac_key", "must be base64 for addresses, as the authority gives it")
	}
	if (key == "") != (s.External.KeyID == "") {
		return fault.InvalidValue("settings.external_account.key_id", "an external account has an id and a key, or neither")
	}
	return nil
}
