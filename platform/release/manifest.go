// Package release reads, checks and writes signed releases: a manifest that names every program of a version with its
// size and checksum, and a signature that proves who published it.
//
// The panel and the agent use it to update themselves, from a server or from a folder that somebody carried over.
package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"panel/platform/pattern"
)

// Programs that a release may hold.
const (
	Panel = "panelctl"
	Agent = "panel-agent"
)

// schema keeps a signed document of another kind from being taken for a manifest.
const schema = "panel.release/v1"

// Manifest is what one release says of itself.
type Manifest struct {
	Schema     string    `json:"schema"`
	Channel    string    `json:"channel"` // stable or dev
	Version    string    `json:"version"`
	MinPanel   string    `json:"min_panel,omitempty"` // oldest panel that may update to this one, and oldest an agent of it talks to
	MinAgent   string    `json:"min_agent,omitempty"` // oldest agent that this panel still talks to
	ReleasedAt time.Time `json:"released_at"`
	Notes      string    `json:"notes,omitempty"`
	Breaking   bool      `json:"breaking"`
	// Artefacts lists the files by program and platform: "panelctl", "linux/amd64".
	Artefacts map[string]map[string]Artefact `json:"artefacts"`
}

// Artefact is one file of a release.
type Artefact struct {
	URL    string `json:"url"` // absolute, or relative to the manifest
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Platform is the platform of this process, as manifests name it.
func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }

const (
	maxManifest = 256 << 10
	maxArtefact = 1 << 30
)

var hash = pattern.Of(`^[0-9a-f]{64}$`)

// parse reads a manifest whose signature is already checked. Unknown fields are ignored: a newer publisher may add
// some.
func parse(text []byte) (Manifest, error) {
	var m Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&m); err != nil {
		return m, fmt.Errorf("%w: it is not JSON", ErrManifest)
	}
	return m, m.check()
}

func (m Manifest) check() error {
	switch {
	case m.Schema != schema:
		return fmt.Errorf("%w: it is not of the kind %s", ErrManifest, schema)
	case m.Channel != "stable" && m.Channel != "dev":
		return fmt.Errorf("%w: its channel is neither stable nor dev", ErrManifest)
	case !Valid(m.Version), m.MinPanel != "" && !Valid(m.MinPanel), m.MinAgent != "" && !Valid(m.MinAgent):
		return fmt.Errorf("%w: a version in it is not of the form 1.2.3", ErrManifest)
	case m.ReleasedAt.IsZero():
		return fmt.Errorf("%w: it does not say when it was released", ErrManifest)
	}
	for program, platforms := range m.Artefacts {
		for platform, file := range platforms {
			if file.URL == "" || !hash().MatchString(file.SHA256) || file.Size <= 0 || file.Size > maxArtefact {
				return fmt.Errorf("%w: %s for %s lacks an address, a checksum or a plausible size", ErrManifest,
					program, platform)
			}
		}
	}
	return nil
}

// Artefact finds the file of a program for a platform; ErrNoArtefact when the release has none.
func (m Manifest) Artefact(program, platform string) (Artefact, error) {
	file, found := m.Artefacts[program][platform]
	if !found {
		return Artefact{}, fmt.Errorf("%w: release %s has no %s for %s", ErrNoArtefact, m.Version, program, platform)
	}
	return file, nil
}
