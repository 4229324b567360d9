package core

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/xtls/xray-core/infra/conf"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
)

// fileCertificates lies beside the folders of the core processes: one that starts finds what the node holds by then.
const fileCertificates = "certificates.json"

const opCertificates = "certificates"

// ErrNoCertificate is a configuration with a host name whose certificate the panel has not given to this node yet.
var ErrNoCertificate = errors.New("the node does not hold the certificate of a listener yet")

// certificates are what this node holds, by host name.
type certificates map[string]agentapi.HostCertificate

func readCertificates(dir string) (certificates, error) {
	var stored agentapi.Certificates
	if _, err := disk.ReadJSON(filepath.Join(dir, fileCertificates), &stored); err != nil {
		return nil, err
	}
	held := certificates{}
	for _, one := range stored.Certificates {
		held[one.Host] = one
	}
	return held, nil
}

// putInto replaces the references of a configuration by the certificates themselves: inbounds show them, and the client
// of a probe trusts them.
func (c certificates) putInto(parsed *conf.Config) error {
	for _, in := range parsed.InboundConfigs {
		if err := c.putIntoStream(in.StreamSetting); err != nil {
			return err
		}
	}
	for _, out := range parsed.OutboundConfigs {
		if err := c.putIntoStream(out.StreamSetting); err != nil {
			return err
		}
	}
	return nil
}

func (c certificates) putIntoStream(stream *conf.StreamConfig) error {
	if stream == nil || stream.TLSSettings == nil {
		return nil
	}
	for _, shown := range stream.TLSSettings.Certs {
		host, referred := agentapi.CertificateHost(shown.CertFile)
		if !referred {
			continue
		}
		pair, held := c[host]
		if !held {
			return fmt.Errorf("%w: %s", ErrNoCertificate, host)
		}
		shown.CertStr = []string{pair.Chain}
		if shown.KeyFile != "" {
			shown.KeyStr = []string{pair.Key}
		}
		shown.CertFile, shown.KeyFile = "", ""
	}
	return nil
}

// public gives the certificates without their keys.
func (c certificates) public() certificates {
	shown := certificates{}
	for host, pair := range c {
		shown[host] = agentapi.HostCertificate{Host: host, Chain: pair.Chain}
	}
	return shown
}

// lacking fails with ErrNoCertificate when a configuration refers to what is not there.
func (c certificates) lacking(raw []byte) error {
	for _, shown := range listeners(raw) {
		for _, host := range shown.hosts {
			if _, held := c[host]; !held {
				return fmt.Errorf("%w: %s", ErrNoCertificate, host)
			}
		}
	}
	return nil
}

// digest names what the hosts show.
func (c certificates) digest(hosts []string) string {
	sum := sha256.New()
	for _, host := range hosts {
		sum.Write([]byte(c[host].Chain + "\x00" + c[host].Key + "\x00"))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// listener is what a configuration says about the transport of one inbound.
type listener struct {
	network string
	hosts   []string // whose certificates it shows
}

// listeners reads the inbounds of a configuration by their tags; of what is no configuration there are none.
func listeners(raw []byte) map[string]listener {
	var read struct {
		Inbounds []struct {
			Tag    string
			Stream struct {
				Network string
				TLS     struct {
					Certificates []struct{ CertificateFile string }
				} `json:"tlsSettings"`
			} `json:"streamSettings"`
		}
	}
	if json.Unmarshal(raw, &read) != nil {
		return nil
	}
	found := map[string]listener{}
	for _, in := range read.Inbounds {
		one := listener{network: in.Stream.Network}
		for _, shown := range in.Stream.TLS.Certificates {
			if host, referred := agentapi.CertificateHost(shown.CertificateFile); referred {
				one.hosts = append(one.hosts, host)
			}
		}
		found[in.Tag] = one
	}
	return found
}

// Certificates makes the node hold these certificates and the serving core show them. No connection is cut and none
// refused: the inbounds are exchanged inside the running process. What the serving configuration refers to stays here
// even where it is not named any more, so that a core that restarts can serve it.
func (s *Supervisor) Certificates(ctx context.Context, wanted agentapi.Certificates) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.retiring.Wait()
	s.mu.Lock()
	serving, raw := s.current, s.spec.Core
	s.mu.Unlock()
	good, unusable := usable(wanted)
	next, shown, err := s.withServed(good, raw)
	if err != nil {
		return err
	}
	if err := disk.WriteJSON(filepath.Join(s.dir, fileCertificates), next); err != nil {
		return fmt.Errorf("keep the certificates: %w", err)
	}
	if serving == nil || !shown {
		return unusable // whoever starts next reads the others
	}
	answer, err := ask(ctx, serving.dir, request{Op: opCertificates})
	switch {
	case err != nil:
		return fmt.Errorf("exchange the certificates of the core: %w", err)
	case !answer.Exchanged:
		return fmt.Errorf("exchange the certificates of the core: %s", or(answer.Error, "it is one of an older agent"))
	}
	// With three listeners on a port the kernel would not pick the newest.
	s.retiring.Go(func() { s.clock.Sleep(overlap) })
	return unusable
}

// usable leaves out what no server could show, so that the certificate before it stays, and says of whom it is.
func usable(wanted agentapi.Certificates) (good agentapi.Certificates, problems error) {
	for _, one := range wanted.Certificates {
		if _, err := tls.X509KeyPair([]byte(one.Chain), []byte(one.Key)); err != nil {
			problems = errors.Join(problems, fmt.Errorf("keep the certificate of %s: %w", one.Host, err))
			continue
		}
		good.Certificates = append(good.Certificates, one)
	}
	return good, problems
}

// withServed adds what the serving configuration refers to; shown tells whether it refers to anything.
func (s *Supervisor) withServed(wanted agentapi.Certificates, raw []byte) (agentapi.Certificates, bool, error) {
	held, err := readCertificates(s.dir)
	if err != nil {
		return wanted, false, err
	}
	next := agentapi.Certificates{Certificates: slices.Clone(wanted.Certificates)}
	shown := false
	for _, one := range listeners(raw) {
		for _, host := range one.hosts {
			shown = true
			named := func(c agentapi.HostCertificate) bool { return c.Host == host }
			if pair, have := held[host]; have && !slices.ContainsFunc(next.Certificates, named) {
				next.Certificates = append(next.Certificates, pair)
			}
		}
	}
	return next, shown, nil
}
