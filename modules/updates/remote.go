package updates

import (
	"context"
	"fmt"
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
	return opened.Keep(b.remote.folder)
}
