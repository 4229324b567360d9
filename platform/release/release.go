package release

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"aead.dev/minisign"

	"panel/platform/durable"
)

// suffix makes the address of the signature from that of the manifest, as the minisign program does.
const suffix = ".minisig"

const (
	manifestWithin = 20 * time.Second
	artefactWithin = 10 * time.Minute
)

// Release is a manifest whose signature was checked, and the place it came from.
type Release struct {
	Manifest Manifest
	from     source

	text, signature []byte
}

// Web fetches what lies behind an address, and gives only successes. Agents, which read files alone, have none.
type Web interface {
	Stream(ctx context.Context, request *http.Request) (*http.Response, error)
}

// Option changes how a release is reached.
type Option func(*source)

// Over lets a release lie behind an address.
func Over(web Web) Option { return func(s *source) { s.web = web } }

// Open fetches and checks the manifest at source: a file of this machine, or an address when there is Over. publicKey
// is a minisign key, or several separated by commas while keys change. Nothing of the manifest is read before its
// signature holds.
func Open(ctx context.Context, source, publicKey string, options ...Option) (*Release, error) {
	keys, err := Keys(publicKey)
	if err != nil {
		return nil, err
	}
	from, err := locate(source, options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, manifestWithin)
	defer cancel()
	text, err := from.read(ctx, from.manifest)
	if err != nil {
		return nil, err
	}
	signature, err := from.read(ctx, from.manifest+suffix)
	if err != nil {
		return nil, err
	}
	if !signedBy(keys, text, signature) {
		return nil, ErrUntrusted
	}
	m, err := parse(text)
	if err != nil {
		return nil, err
	}
	return &Release{Manifest: m, from: from, text: text, signature: signature}, nil
}

// Names of what proves where the files beside them come from.
const (
	ManifestFile  = "manifest.json"
	SignatureFile = ManifestFile + suffix
)

// Keep puts the manifest and its signature into folder, from which Open reads them again.
func (r *Release) Keep(folder string) error {
	err := durable.Write(filepath.Join(folder, SignatureFile), 0o644, r.signature)
	if err == nil {
		err = durable.Write(filepath.Join(folder, ManifestFile), 0o644, r.text)
	}
	if err != nil {
		return fmt.Errorf("keep the manifest of the release: %w", err)
	}
	return nil
}

// Keys reads one or several public keys.
func Keys(list string) ([]minisign.PublicKey, error) {
	var keys []minisign.PublicKey
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		var key minisign.PublicKey
		if err := key.UnmarshalText([]byte(text)); err != nil {
			return nil, ErrKey
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, ErrKey
	}
	return keys, nil
}

func signedBy(keys []minisign.PublicKey, text, signature []byte) bool {
	for _, key := range keys {
		if minisign.Verify(key, text, signature) {
			return true
		}
	}
	return false
}

// Fetch puts an artefact into toFile, which appears only when size and checksum are right; what is already there and
// right is not fetched again. A file of the same name beside a manifest on disk is preferred to its address.
func (r *Release) Fetch(ctx context.Context, artefact Artefact, toFile string) error {
	if Check(toFile, artefact) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, artefactWithin)
	defer cancel()
	body, err := r.from.open(ctx, artefact.URL)
	if err != nil {
		return err
	}
	defer body.Close()
	if err := store(toFile, body, artefact); err != nil {
		return fmt.Errorf("fetch the release %s: %w", r.Manifest.Version, err)
	}
	return nil
}
