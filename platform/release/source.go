package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// source is where a release lies: behind an address or in a folder.
type source struct {
	manifest string
	local    bool
	client   *http.Client
}

const maxRedirects = 3

func locate(text string, options []Option) (source, error) {
	s := source{manifest: text, client: &http.Client{
		Transport:     &http.Transport{ResponseHeaderTimeout: manifestWithin},
		CheckRedirect: redirects,
	}}
	for _, option := range options {
		option(s.client)
	}
	if isWeb(text) {
		return s, nil
	}
	s.local = true
	s.manifest = strings.TrimPrefix(text, "file://")
	if s.manifest == "" || strings.Contains(s.manifest, "://") {
		return s, fmt.Errorf("%w: its place must be an http or https address or a file", ErrUnreachable)
	}
	return s, nil
}

func isWeb(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// redirects allows what mirrors need, and no step down from https.
func redirects(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return errors.New("too many redirects")
	}
	if via[0].URL.Scheme == "https" && next.URL.Scheme != "https" {
		return errors.New("a redirect leaves https")
	}
	return nil
}

// read gives a small file whole.
func (s source) read(ctx context.Context, place string) ([]byte, error) {
	body, err := s.stream(ctx, place)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", ErrManifest, maxManifest)
	}
	return text, nil
}

// open begins reading an artefact.
func (s source) open(ctx context.Context, address string) (io.ReadCloser, error) {
	if s.local {
		beside := filepath.Join(filepath.Dir(s.manifest), path.Base(address))
		if body, err := os.Open(beside); err == nil || !isWeb(address) {
			return body, reached(err)
		}
		return s.stream(ctx, address)
	}
	base, err := url.Parse(s.manifest)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	whole, err := base.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%w: the address of a file in it cannot be read", ErrManifest)
	}
	return s.stream(ctx, whole.String())
}

func (s source) stream(ctx context.Context, place string) (io.ReadCloser, error) {
	if !isWeb(place) {
		body, err := os.Open(place)
		return body, reached(err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, reached(err)
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, reached(err)
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("%w: %s answered %s", ErrUnreachable, request.URL.Host, response.Status)
	}
	return response.Body, nil
}

func reached(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
