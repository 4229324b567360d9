package selfupdate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"panel/platform/release"
)

// program is an executable of the release that lies in the panel's folder under this name.
type program struct {
	name     string
	artefact release.Artefact
}

// programsOf lists what changes together: the panel, the agent that it gives to servers like its own machine, and the
// agents for other machines that somebody put beside it. The panel comes first.
func programsOf(m release.Manifest, folder string) ([]program, error) {
	panel, err := m.Artefact(release.Panel, release.Platform())
	if err != nil {
		return nil, err
	}
	list := []program{{release.Panel, panel}}
	for platform, artefact := range m.Artefacts[release.Agent] {
		named := release.Agent + "-" + strings.ReplaceAll(platform, "/", "-")
		if exists(filepath.Join(folder, named)) {
			list = append(list, program{named, artefact})
		}
		if platform == release.Platform() {
			list = append(list, program{release.Agent, artefact})
		}
	}
	slices.SortFunc(list[1:], func(a, b program) int { return strings.Compare(a.name, b.name) })
	return list, nil
}

func sizeOf(programs []program) int64 {
	total := int64(0)
	for _, p := range programs {
		total += p.artefact.Size
	}
	return total
}

// folder is where the panel's executable lies, and what belongs to it.
func (p Paths) folder() string { return filepath.Dir(p.Binary) }

// modeOf is that of an executable, but for the two files that only prove something.
func modeOf(name string) fs.FileMode {
	if name == release.ManifestFile || name == release.SignatureFile {
		return 0o644
	}
	return 0o755
}

// fetchBeside gets what goes with the panel and answers the names. With an agent come manifest and signature: by them
// the panel knows what it may hand to its servers, also without a network.
func fetchBeside(ctx context.Context, found *release.Release, programs []program, folder string) ([]string, error) {
	var names []string
	for _, p := range programs {
		if err := found.Fetch(ctx, p.artefact, filepath.Join(folder, p.name)); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return nil, nil
	}
	return append(names, release.ManifestFile, release.SignatureFile), found.Keep(folder)
}

// putBeside copies the named files into the panel's folder.
func (e *Engine) putBeside(from string, names []string) error {
	for _, name := range names {
		if _, err := copyWhole(filepath.Join(from, name), filepath.Join(e.Paths.folder(), name),
			modeOf(name)); err != nil {
			return err
		}
	}
	return nil
}

// keepBeside copies them into the set; what is not there yet has no sum.
func (e *Engine) keepBeside(folder string, names []string, sums map[string]string) error {
	for _, name := range names {
		sum, err := copyWhole(filepath.Join(e.Paths.folder(), name), filepath.Join(folder, name), 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		sums[name] = sum
	}
	return nil
}

// returnBeside makes the panel's folder what it was: files that came with the newer release go.
func (e *Engine) returnBeside(folder string, s set) error {
	for _, name := range s.Beside {
		if s.Sums[name] != "" {
			if err := e.putBeside(folder, []string{name}); err != nil {
				return err
			}
			continue
		}
		if err := os.Remove(filepath.Join(e.Paths.folder(), name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s, which came with the newer release: %w", name, err)
		}
	}
	return nil
}
