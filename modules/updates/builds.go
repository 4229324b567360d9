package updates

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/agentapi"
	"panel/platform/config"
	"panel/platform/fault"
	"panel/platform/files"
	"panel/platform/outbound"
	"panel/platform/release"
	releases "panel/platform/release/remote"
	"panel/platform/selfupdate"
	"panel/platform/settings"
	"panel/platform/version"
)

// Why there is no build to roll out.
const (
	noKey      = "no_key"
	noManifest = "no_manifest"
	untrusted  = "untrusted"
	noFile     = "no_file"
	oldPanel   = "panel_too_old"
)

// builds are the signed releases of the agent. Those that were carried by hand into the folder of agent executables, or
// fetched from the address of the updates, are stored in the database, from where every panel hands out the newest.
type builds struct {
	*shelf
	keys    string
	folders []string
	own     string // the folder of the panel's executable, where it is among them
	remote  remote
	clock   clockwork.Clock

	mu     sync.Mutex
	known  map[string]*build // by manifest
	sums   map[string]stamp  // files that were compared with their release
	reason string            // why the folders have no release
	here   string            // version of the release in the folders
}

// build is one release with agents in it.
type build struct {
	release.Manifest
	text, signature []byte
	files           map[string]string // platform to path, of a stored release to digest
	withPanel       bool              // it was beside a panel's own executable
	stamp           stamp
}

// stamp tells whether a file is still the one that was looked at.
type stamp struct {
	size   int64
	at     time.Time
	sha256 string
}

// agentDir is the folder from which the nodes module serves agents too.
var agentDir = config.Key{Name: "PANEL_AGENT_DIR"}

func newBuilds(
	cfg *config.Config, network *outbound.Network, clock clockwork.Clock, stored *shelf,
	doc *settings.Doc[selfupdate.Settings],
) *builds {
	carried, own := cfg.Path(agentDir), ""
	if program, err := os.Executable(); carried == "" && err == nil {
		own = filepath.Dir(program)
		carried = own
	}
	fetched := filepath.Join(cfg.DataDir(), "agents")
	return &builds{
		shelf: stored, keys: cfg.String(selfupdate.PublicKey), folders: []string{carried, fetched}, own: own,
		clock: clock,
		remote: remote{
			address: cfg.String(config.UpdateURL), wanted: wantedOf(doc), server: releases.New(network),
			folder: fetched,
		},
		known: map[string]*build{}, sums: map[string]stamp{},
	}
}

var errNoBuild = fault.Missing("this panel has no signed release of the agent")

// newest gives the newest usable release, or why there is none.
func (b *builds) newest(ctx context.Context) (*build, string) {
	if strings.TrimSpace(b.keys) == "" {
		return nil, noKey
	}
	stored, err := b.all(ctx)
	if err != nil {
		b.log.Warn("stored releases of the agent could not be read", zap.Error(err))
	}
	reason, here := b.scanned()
	for _, one := range stored {
		switch {
		case one.withPanel && one.Version != version.Version && one.Version != here:
			continue // that panel was taken back, or is another one
		case one.MinPanel != "" && release.Compare(version.Version, one.MinPanel) < 0:
			reason = oldPanel
		case len(one.files) > 0:
			return one, ""
		}
	}
	return nil, reason
}

// scanned gives what was found in the folders: why there is no release, and the version of the one that is.
func (b *builds) scanned() (reason, here string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(b.reason, noManifest), b.here
}

// store brings newer releases from the folders of this machine into the database.
func (b *builds) store(ctx context.Context) error {
	if strings.TrimSpace(b.keys) == "" {
		return nil
	}
	best, reason := b.inFolders(ctx)
	b.mu.Lock()
	b.reason, b.here = reason, ""
	if best != nil {
		b.here = best.Version
	}
	b.mu.Unlock()
	if best == nil {
		return nil
	}
	newer, err := b.outdated(ctx, best)
	if err != nil || !newer {
		return err
	}
	return b.put(ctx, best)
}

// inFolders gives the newest usable release on this machine, or why there is none.
func (b *builds) inFolders(ctx context.Context) (best *build, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	reason = noManifest
	for _, folder := range b.folders {
		found, why := b.read(ctx, folder)
		if found == nil && why != noManifest {
			reason = why
		}
		if found != nil && (best == nil || release.Compare(found.Version, best.Version) > 0) {
			best, reason = found, ""
		}
	}
	return best, reason
}

// scanEvery is how soon a release is found that somebody put into a folder.
const scanEvery = 2 * time.Second

// scan stores what appears in the folders, until the context ends. It is a loop of each panel and no schedule, because
// the folders are on the disk of this machine.
func (b *builds) scan(ctx context.Context) error {
	for {
		if err := b.store(ctx); err != nil && ctx.Err() == nil {
			b.log.Warn("a release of the agent could not be stored; it is tried again", zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-b.clock.After(scanEvery):
		}
	}
}

func (b *builds) read(ctx context.Context, folder string) (*build, string) {
	manifest := filepath.Join(folder, "manifest.json")
	now, err := stampOf(manifest)
	if err != nil {
		delete(b.known, manifest)
		return nil, noManifest
	}
	found := b.known[manifest]
	if found == nil || found.stamp != now {
		if found, err = b.examine(ctx, manifest, now); err != nil {
			b.log.Warn("a release manifest cannot be used", zap.String("manifest", manifest), zap.Error(err))
			return nil, untrusted
		}
		b.known[manifest] = found
	}
	if found.MinPanel != "" && release.Compare(version.Version, found.MinPanel) < 0 {
		return nil, oldPanel
	}
	found.files, found.withPanel = b.filesOf(folder, found), folder == b.own
	if len(found.files) == 0 {
		return nil, noFile
	}
	return found, ""
}

func (b *builds) examine(ctx context.Context, manifest string, now stamp) (*build, error) {
	opened, err := release.Open(ctx, manifest, b.keys)
	if err != nil {
		return nil, err
	}
	text, textErr := os.ReadFile(manifest)
	signature, signatureErr := os.ReadFile(manifest + ".minisig")
	found := &build{Manifest: opened.Manifest, text: text, signature: signature, stamp: now}
	return found, errors.Join(textErr, signatureErr)
}

// filesOf finds the executables beside the manifest; one that is not the released one is as good as missing.
func (b *builds) filesOf(folder string, found *build) map[string]string {
	files := map[string]string{}
	for platform, artefact := range found.Artefacts[release.Agent] {
		named := "panel-agent-" + strings.ReplaceAll(platform, "/", "-")
		for _, name := range []string{path.Base(artefact.URL), named, release.Agent} {
			if file := filepath.Join(folder, name); b.is(file, artefact) {
				files[platform] = file
				break
			}
		}
	}
	return files
}

// is compares a file with its release once per version of the file.
func (b *builds) is(file string, artefact release.Artefact) bool {
	now, err := stampOf(file)
	if err != nil || now.size != artefact.Size {
		return false
	}
	now.sha256 = artefact.SHA256
	if b.sums[file] == now {
		return true
	}
	if release.Check(file, artefact) != nil {
		return false
	}
	b.sums[file] = now
	return true
}

func stampOf(file string) (stamp, error) {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}, err
	}
	return stamp{size: info.Size(), at: info.ModTime()}, nil
}

// open gives the executable for a system. Fault: not_found (404).
func (b *builds) open(ctx context.Context, platform string) (io.ReadCloser, files.File, error) {
	found, _ := b.newest(ctx)
	if found == nil {
		return nil, files.File{}, errNoBuild
	}
	sum, has := found.files[platform]
	if !has {
		return nil, files.File{}, fault.Missing("the release has no agent for that system")
	}
	return b.shelf.files.Open(ctx, sum)
}

// offer is what agents get to see; without a build it still tells the keys, so that an agent can keep them at its
// enrolment.
func (b *builds) offer(ctx context.Context) agentapi.Update {
	offered := agentapi.Update{PublicKey: strings.TrimSpace(b.keys)}
	if found, _ := b.newest(ctx); found != nil {
		offered.Version, offered.Manifest, offered.Signature = found.Version, string(found.text),
			string(found.signature)
	}
	return offered
}

func (b *build) platforms() []string {
	var list []string
	for platform := range b.files {
		list = append(list, platform)
	}
	slices.Sort(list)
	return list
}
