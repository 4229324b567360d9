package updates

import (
	"context"
	"errors"
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
	"panel/platform/release"
	"panel/platform/selfupdate"

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

// builds are the signed releases that this panel has on its disk: carried over by hand into the folder of agent executables, or
// fetched from the address of the updates. The newest one counts.
type builds struct {
	keys    string
	folders []string
	remote  remote
	clock   clockwork.Clock
	log     *zap.Logger

	mu    sync.Mutex
	known map[string]*build // by manifest
	sums  map[string]stamp  // files that were compared with their release
}

// build is one release with agents in it.
type build struct {
	release.Manifest
	text, signature []byte
	files           map[string]string // platform to path
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

func newBuilds(cfg *config.Config, clock clockwork.Clock, log *zap.Logger) *builds {
	carried := cfg.Path(agentDir)
	if own, err := os.Executable(); carried == "" && err == nil {
		carried = filepath.Dir(own)
	}
	fetched := filepath.Join(cfg.DataDir(), "agents")
	return &builds{
		keys: cfg.String(selfupdate.PublicKey), folders: []string{carried, fetched}, clock: clock, log: log,
		remote: remote{address: cfg.String(config.UpdateURL), channel: cfg.String(config.UpdateChannel), proxy: cfg.Secret(config.HTTPProxy), folder: fetched},
		known:  map[string]*build{}, sums: map[string]stamp{},
	}
}

var errNoBuild = fault.Missing("this panel has no signed release of the agent")

// newest gives the newest usable release, or why there is none.
func (b *builds) newest(ctx context.Context) (*build, string) {
	if strings.TrimSpace(b.keys) == "" {
		return nil, noKey
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	var best *build
	reason := noManifest
	for _, folder := range b.folders {
		found, why := b.read(ctx, folder)
		if found == nil && why != noManifest {
			reason = why
		}
		if found != nil && (best == nil || release.Compare(found.Version, best.Version) > 0) {
			best = found
		}
	}
	if best == nil {
		return nil, reason
	}
	return best, ""
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
		if found, err = b.open(ctx, manifest, now); err != nil {
			b.log.Warn("a release manifest cannot be used", zap.String("manifest", manifest), zap.Error(err))
			return nil, untrusted
		}
		b.known[manifest] = found
	}
	if found.MinPanel != "" && release.Compare(version.Version, found.MinPanel) < 0 {
		return nil, oldPanel
	}
	found.files = b.filesOf(folder, found)
	if len(found.files) == 0 {
		return nil, noFile
	}
	return found, ""
}

func (b *builds) open(ctx context.Context, manifest string, now stamp) (*build, error) {
	opened, err := release.Open(ctx, manifest, b.keys)
	if err != nil {
		return nil, err
	}
	text, textErr := os.ReadFile(manifest)
	signature, signatureErr := os.ReadFile(manifest + ".minisig")
	return &build{Manifest: opened.Manifest, text: text, signature: signature, stamp: now}, errors.Join(textErr, signatureErr)
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

// file gives the executable for a system. Fault: not_found (404).
func (b *builds) file(ctx context.Context, platform string) (string, error) {
	found, _ := b.newest(ctx)
	if found == nil {
		return "", errNoBuild
	}
	file, has := found.files[platform]
	if !has {
		return "", fault.Missing("the release has no agent for that system")
	}
	return file, nil
}

// offer is what agents get to see; without a build it still tells the keys, so that an agent can keep them at its enrolment.
func (b *builds) offer(ctx context.Context) agentapi.Update {
	offered := agentapi.Update{PublicKey: strings.TrimSpace(b.keys)}
	if found, _ := b.newest(ctx); found != nil {
		offered.Version, offered.Manifest, offered.Signature = found.Version, string(found.text), string(found.signature)
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
