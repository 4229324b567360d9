package release

import (
	"context"
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
	web      Web
}

func locate(text string, options []Option) (source, error) {
	s := source{manifest: text}
	for _, option := range options {
		option(&s)
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
	if s.web == nil {
		return nil, fmt.Errorf("%w: it lies behind an address, and only files are read here", ErrUnreachable)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, reached(err)
	}
	response, err := s.web.Stream(ctx, request)
	if err != nil {
		return nil, reached(err)
	}
	return response.Body, nil
}

func reached(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}
