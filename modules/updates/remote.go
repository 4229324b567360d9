package updates

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
	"time"

	"go.uber.org/zap"

	"panel/platform/config"
	"panel/platform/release"
)

const (
	lookEvery   = 6 * time.Hour
	lookSoon    = time.Minute // after the start, when the panel has other things to do
	textWithin  = 30 * time.Second
	textAtMost  = 256 << 10
	fetchWithin = 30 * time.Minute
)

// remote is the server of releases, where one is set.
type remote struct {
	address, channel string
	proxy            config.Secret
	folder           string
}

// follow brings newer agents to this panel, so that nodes need no other server. Without an address it waits for the end.
func (b *builds) follow(ctx context.Context) error {
	if b.remote.address == "" || b.keys == "" {
		<-ctx.Done()
		return nil
	}
	for pause := lookSoon; ; pause = lookEvery {
		select {
		case <-ctx.Done():
			return nil
		case <-b.clock.After(pause):
		}
		if err := b.bring(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("newer agents could not be fetched; it is tried again", zap.Error(err))
		}
	}
}

// bring fetches the agents of the newest release; the manifest comes last, so that it never names a file that is missing.
func (b *builds) bring(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	opened, err := release.Open(ctx, b.remote.address, b.keys, release.Via(b.remote.proxy.Reveal()))
	if err != nil {
		return err
	}
	if here, _ := b.newest(ctx); opened.Manifest.Channel != b.remote.channel || here != nil && release.Compare(opened.Manifest.Version, here.Version) <= 0 {
		return nil
	}
	if err := os.MkdirAll(b.remote.folder, 0o755); err != nil {
		return fmt.Errorf("make the folder of agents: %w", err)
	}
	for _, artefact := range opened.Manifest.Artefacts[release.Agent] {
		if err := opened.Fetch(ctx, artefact, filepath.Join(b.remote.folder, path.Base(artefact.URL))); err != nil {
			return err
		}
	}
	return b.remote.keepManifest(ctx)
}

func (r remote) keepManifest(ctx context.Context) error {
	for _, suffix := range []string{".minisig", ""} {
		text, err := r.read(ctx, r.address+suffix)
		if err != nil {
			return err
		}
		file := filepath.Join(r.folder, "manifest.json"+suffix)
		err = errors.Join(os.WriteFile(file+".new", text, 0o644), os.Rename(file+".new", file))
		if err != nil {
			return fmt.Errorf("keep the release manifest: %w", err)
		}
	}
	return nil
}

func (r remote) read(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, textWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch the release manifest: %w", err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	if through, err := url.Parse(r.proxy.Reveal()); err == nil && through.Host != "" {
		client.Transport = &http.Transport{Proxy: http.ProxyURL(through)}
	}
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("fetch the release manifest: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("fetch the release manifest: the server answered %s", answer.Status)
	}
	return io.ReadAll(io.LimitReader(answer.Body, textAtMost))
}
