package agentapi

import "strings"

// Certificates is the content of DocumentCertificates: what the listeners of a node show, by host name.
type Certificates struct {
	Certificates []HostCertificate `json:"certificates"`
}

// HostCertificate is the certificate for one host name with its private key, both as PEM.
type HostCertificate struct {
	Host  string `json:"host"`
	Chain string `json:"chain"` // the certificate itself first
	Key   string `json:"key"`
}

// SharedTag begins the tags of inbounds that hold a port for the listeners behind them.
const SharedTag = "shared."

const certificateScheme = "certificate:"

// CertificateOf is how the configuration of a core names the certificate of a host name, in place of a file. So the
// configuration holds no key and stays the same when the certificate is renewed; the agent puts in what it holds.
func CertificateOf(host string) string { return certificateScheme + host }

// CertificateHost is the host name that CertificateOf made the reference for; false for anything else.
func CertificateHost(reference string) (host string, ok bool) {
	return strings.CutPrefix(reference, certificateScheme)
}
