// Package assets is the part of the agent that holds geo files: names and networks by which the core routes.
//
// Files are fetched from the panel by their digests and stand under these in a folder of their own; the names that the
// core looks for lead to them. The files before stay beside them, so that a return needs no fetch. Files that somebody
// else has put into the folder are left alone.
package assets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"panel/cmd/panel-agent/internal/core"
	"panel/cmd/panel-agent/internal/disk"
	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// fetchWithin is how long all files of a revision may take over a slow line.
const fetchWithin = 15 * time.Minute

// Part is the manifest.
var Part = part.Part{
	Name:      "assets",
	Documents: []agentapi.DocumentName{agentapi.DocumentAssets},
	Open: func(env *part.Env) (*part.Live, error) {
		h := &holder{
			dir: env.Folder("assets"), core: env.Core,
			source: panel{base: env.Panel.Base(), token: env.Panel.Token, http: env.HTTP},
		}
		return &part.Live{Documents: []documents.Document{{
			Name: agentapi.DocumentAssets, Apply: h.apply, Limit: fetchWithin,
		}}}, nil
	},
}

// router is the core.
type router interface {
	Assets(ctx context.Context, trial string, put func() error) error
}

// holder keeps the files of the node.
type holder struct {
	dir    string
	core   router
	source source
}

// Folders and files beside those that the core looks for, whose names begin with no dot.
const (
	dirStore = ".store" // files by their digests
	dirTrial = ".trial" // the files of a revision that is tested, by their names
	fileHeld = ".held.json"
)

// held is what the agent has put into the folder, and what stood there before.
type held struct {
	Now    []agentapi.AssetFile `json:"now"`
	Before []agentapi.AssetFile `json:"before"`
}

// apply brings the files of a revision and has the core use them. On any error those before stay.
func (h *holder) apply(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.Assets
	if err := json.Unmarshal(content, &wanted); err != nil {
		return documents.Refuse(errors.New("read the files of the node: they are no JSON of the expected form"))
	}
	if err := wanted.Check(); err != nil {
		return documents.Refuse(err)
	}
	if err := os.MkdirAll(h.path(dirStore), 0o700); err != nil {
		return fmt.Errorf("make the folder of geo files: %w", err)
	}
	for _, file := range wanted.Files {
		if err := h.bring(ctx, file); err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	before, err := h.held()
	if err != nil {
		return err
	}
	if slices.Equal(before.Now, wanted.Files) && h.inPlace(wanted.Files) {
		return h.tidy(before)
	}
	return h.exchange(ctx, before, wanted.Files)
}

// exchange tests the files with the core and puts them into their places. What the core refuses is refused for good:
// the same files with the same configuration would be refused again, and another revision is tested anew.
func (h *holder) exchange(ctx context.Context, before held, files []agentapi.AssetFile) error {
	if err := h.layOut(files); err != nil {
		return err
	}
	now := held{Now: files, Before: before.Now}
	err := h.core.Assets(ctx, h.path(dirTrial), func() error { return h.put(before, now) })
	var refused *core.Refused
	if errors.As(err, &refused) {
		return documents.Refuse(err)
	}
	if err != nil {
		return err
	}
	return errors.Join(h.tidy(now), os.RemoveAll(h.path(dirTrial)))
}

// layOut makes the folder of the test: the files under their names, and those of others that stay.
func (h *holder) layOut(files []agentapi.AssetFile) error {
	trial := h.path(dirTrial)
	if err := errors.Join(os.RemoveAll(trial), os.Mkdir(trial, 0o700)); err != nil {
		return fmt.Errorf("make the folder of the test: %w", err)
	}
	for _, f := range files {
		if err := os.Link(h.stored(f), filepath.Join(trial, f.Name)); err != nil {
			return fmt.Errorf("lay out the files of the test: %w", err)
		}
	}
	before, err := h.held()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return fmt.Errorf("read the folder of geo files: %w", err)
	}
	for _, entry := range entries {
		if name := entry.Name(); entry.Type().IsRegular() && name[0] != '.' && !named(files, name) &&
			!named(before.Now, name) {
			if err := os.Link(h.path(name), filepath.Join(trial, name)); err != nil {
				return fmt.Errorf("lay out the files of the test: %w", err)
			}
		}
	}
	return nil
}

// put gives the files their names, each at once, and takes away what is not wanted any more. What is put there is
// written down before: a kill in between leaves names of both revisions, and the next start puts the rest.
func (h *holder) put(before, now held) error {
	known := held{Now: slices.Concat(now.Now, leaving(before.Now, now.Now)), Before: now.Before}
	if err := disk.WriteJSON(h.path(fileHeld), known); err != nil {
		return fmt.Errorf("write down the geo files: %w", err)
	}
	for _, f := range now.Now {
		fresh := h.path("." + f.Name + ".new")
		_ = os.Remove(fresh)
		if err := errors.Join(os.Link(h.stored(f), fresh), os.Rename(fresh, h.path(f.Name))); err != nil {
			return fmt.Errorf("put a geo file into its place: %w", err)
		}
		_ = os.Remove(fresh) // a rename to a link of the same file does nothing
	}
	for _, f := range leaving(before.Now, now.Now) {
		if err := os.Remove(h.path(f.Name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove a geo file: %w", err)
		}
	}
	if err := disk.WriteJSON(h.path(fileHeld), now); err != nil {
		return fmt.Errorf("write down the geo files: %w", err)
	}
	return nil
}

func leaving(before, now []agentapi.AssetFile) []agentapi.AssetFile {
	return slices.DeleteFunc(slices.Clone(before), func(f agentapi.AssetFile) bool { return named(now, f.Name) })
}

func named(files []agentapi.AssetFile, name string) bool {
	return slices.ContainsFunc(files, func(f agentapi.AssetFile) bool { return f.Name == name })
}

// inPlace says whether the names lead to the files already.
func (h *holder) inPlace(files []agentapi.AssetFile) bool {
	for _, f := range files {
		there, err := os.Stat(h.path(f.Name))
		if err != nil {
			return false
		}
		if stored, err := os.Stat(h.stored(f)); err != nil || !os.SameFile(there, stored) {
			return false
		}
	}
	return true
}

// tidy removes files that neither this revision nor the one before names.
func (h *holder) tidy(now held) error {
	entries, err := os.ReadDir(h.path(dirStore))
	if err != nil {
		return fmt.Errorf("read the folder of geo files: %w", err)
	}
	for _, entry := range entries {
		kept := slices.ContainsFunc(slices.Concat(now.Now, now.Before), func(f agentapi.AssetFile) bool {
			return f.SHA256 == entry.Name()
		})
		if !kept {
			if err := os.Remove(filepath.Join(h.path(dirStore), entry.Name())); err != nil {
				return fmt.Errorf("remove an old geo file: %w", err)
			}
		}
	}
	return nil
}

// held reads what was put there; a damaged note counts as none.
func (h *holder) held() (h0 held, err error) {
	if _, err := disk.ReadJSON(h.path(fileHeld), &h0); err != nil {
		return held{}, nil //nolint:nilerr // the files are put into their places again
	}
	return h0, nil
}

func (h *holder) path(name string) string { return filepath.Join(h.dir, name) }

func (h *holder) stored(f agentapi.AssetFile) string { return filepath.Join(h.dir, dirStore, f.SHA256) }
