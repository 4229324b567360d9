package update

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/cmd/panel-agent/internal/disk"
	"panel/platform/agentapi"
	"panel/platform/durable"
	"panel/platform/release"
)

const (
	askLimit  = 30 * time.Second
	fileLimit = 10 * time.Minute
	textLimit = 1 << 20
)

// Panel is where updates come from.
type Panel struct {
	Base  string
	Token func() string
	HTTP  *http.Client
}

// failure is an update that ended at a stage; the words are for the administrator.
type failure struct {
	stage agentapi.Stage
	err   error
	tail  string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Describe fills in the result of a command that ended with it.
func (f *failure) Describe(r *agentapi.CommandResult) {
	r.Code, r.Stage, r.StderrTail = agentapi.CodeFailed, f.stage, f.tail
}

func failed(stage agentapi.Stage, err error) error { return &failure{stage: stage, err: err} }

// fetch brings the executable of the asked version to the disk, checked against a signature that this agent trusts.
func (u *Updater) fetch(ctx context.Context, version string) (Build, error) {
	offered, err := u.offered(ctx)
	if err != nil {
		return Build{}, failed(agentapi.StageFetch, err)
	}
	file, err := u.verified(ctx, offered, version)
	if err != nil {
		return Build{}, failed(agentapi.StageVerify, err)
	}
	b := Build{Version: version, SHA256: file.SHA256}
	if err := u.download(ctx, b, file); err != nil {
		return Build{}, err
	}
	return b, nil
}

func (u *Updater) offered(ctx context.Context) (agentapi.Update, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	var offered agentapi.Update
	body, err := u.get(ctx, agentapi.PathUpdate)
	if err != nil {
		return offered, err
	}
	defer body.Close()
	if err := json.NewDecoder(io.LimitReader(body, textLimit)).Decode(&offered); err != nil {
		return offered, fmt.Errorf("read the panel's answer: %w", err)
	}
	return offered, nil
}

func (u *Updater) get(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Panel.Base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the panel for the update: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+u.Panel.Token())
	resp, err := u.Panel.HTTP.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask the panel for the update: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		var problem struct{ Code, Detail string }
		// what is no problem document has no words
		_ = json.NewDecoder(io.LimitReader(resp.Body, 4<<10)).Decode(&problem)
		return nil, &refused{resp.StatusCode, strings.TrimSpace(problem.Code + " " + problem.Detail)}
	}
	return resp.Body, nil
}

// refused is an answer of the panel that is no file.
type refused struct {
	status int
	words  string
}

func (r *refused) Error() string {
	return fmt.Sprintf("the panel does not give the update: %d %s", r.status, r.words)
}

// verified believes the signature alone. The manifest must be of the ordered version and name an agent for this system.
func (u *Updater) verified(ctx context.Context, offered agentapi.Update, version string) (release.Artefact, error) {
	keys, err := u.trusted(offered.PublicKey)
	if err != nil {
		return release.Artefact{}, err
	}
	manifest := u.store.path("manifest.json")
	err = errors.Join(
		disk.WriteFile(manifest, []byte(offered.Manifest)),
		disk.WriteFile(manifest+".minisig", []byte(offered.Signature)),
	)
	if err != nil {
		return release.Artefact{}, err
	}
	opened, err := release.Open(ctx, manifest, keys)
	if err != nil {
		return release.Artefact{}, err
	}
	if opened.Manifest.Version != version {
		return release.Artefact{}, fmt.Errorf("the panel offers %s and ordered %s; order again",
			opened.Manifest.Version,
			version)
	}
	return opened.Manifest.Artefact(release.Agent, release.Platform())
}

// trusted gives the keys that updates are checked with: those built in, else those that this agent has stored since its
// enrolment or since the first update that it saw. What the panel says later changes nothing.
func (u *Updater) trusted(seen string) (string, error) {
	if u.BuiltIn != "" {
		return u.BuiltIn, nil
	}
	stored, err := os.ReadFile(u.store.path(trustName))
	if err == nil {
		return strings.TrimSpace(string(stored)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the trusted keys: %w", err)
	}
	u.Log.Warn("this agent has no key of updates; from now on it believes the one that the panel shows. "+
		"An install line of today's panel brings the key along", zap.String("key", seen))
	return seen, Pin(u.DataDir, seen)
}

// Pin keeps the keys that updates are checked with from now on.
func Pin(dataDir, keys string) error {
	if _, err := release.Keys(keys); err != nil {
		return err
	}
	s := newStore(dataDir)
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("make the folder of updates: %w", err)
	}
	return disk.WriteFile(s.path(trustName), []byte(strings.TrimSpace(keys)+"\n"))
}

// download leaves the executable in place only when it is the signed one; what is already there is not fetched again.
func (u *Updater) download(ctx context.Context, b Build, file release.Artefact) error {
	target := u.store.executable(b)
	if release.Check(target, file) == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return failed(agentapi.StageFetch, fmt.Errorf("make the folder of the new build: %w", err))
	}
	part := target + ".part"
	if err := u.receive(ctx, part, file); err != nil {
		return failed(agentapi.StageFetch, err)
	}
	if err := release.Check(part, file); err != nil {
		return failed(agentapi.StageVerify, errors.Join(err, os.Remove(part)))
	}
	if err := os.Rename(part, target); err != nil {
		return failed(agentapi.StageFetch, fmt.Errorf("put the new build in its place: %w", err))
	}
	return durable.SyncFolder(filepath.Dir(target))
}

func (u *Updater) receive(ctx context.Context, part string, file release.Artefact) error {
	ctx, cancel := context.WithTimeout(ctx, fileLimit)
	defer cancel()
	body, err := u.executable(ctx, file.SHA256)
	if err != nil {
		return err
	}
	defer body.Close()
	out, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	if err != nil {
		return fmt.Errorf("make room for the new build: %w", err)
	}
	_, err = io.Copy(out, io.LimitReader(body, file.Size+1)) // one byte more shows a file that is too long
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("fetch the new build: %w", err)
	}
	return nil
}

// executable asks for the build by its content. A panel that was put back to a release that does not know builds by
// content gives the one that it offers.
func (u *Updater) executable(ctx context.Context, digest string) (io.ReadCloser, error) {
	body, err := u.get(ctx, strings.ReplaceAll(agentapi.PathAsset, "{sha256}", digest))
	var answer *refused
	if !errors.As(err, &answer) || answer.status != http.StatusNotFound {
		return body, err
	}
	system := strings.NewReplacer("{os}", runtime.GOOS, "{arch}", runtime.GOARCH)
	return u.get(ctx, system.Replace(agentapi.PathUpdateFile))
}

// PinFrom keeps the keys that the panel shows at the enrolment and gives them; none when the panel has none.
func PinFrom(ctx context.Context, dataDir string, panel Panel) (pinned string, err error) {
	u := Updater{DataDir: dataDir, Panel: panel, store: newStore(dataDir)}
	offered, err := u.offered(ctx)
	if err != nil || offered.PublicKey == "" {
		return "", err
	}
	return offered.PublicKey, Pin(dataDir, offered.PublicKey)
}
