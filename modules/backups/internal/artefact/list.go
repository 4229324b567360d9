package artefact

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Listed is an artefact of a destination.
type Listed struct {
	Manifest *Manifest
	// Authentic tells that the manifest's seal was proved with one of the given master keys; without the key it is only
	// known to be whole.
	Authentic bool
}

// List gives the artefacts of a destination, newest first. Files without a manifest are not among them. One that is
// damaged or lacks a part comes as an error of its own beside the others (errors.Join of ErrDamaged with its name).
func List(ctx context.Context, at Destination, keys Keys) ([]Listed, error) {
	there, err := filesOf(ctx, at)
	if err != nil {
		return nil, err
	}
	var all []Listed
	var bad []error
	for _, name := range there.names() {
		one, err := read(ctx, at, name, keys)
		if err == nil {
			err = complete(ctx, at, one.Manifest, there)
		}
		switch {
		case errors.Is(err, ErrMissing): // it was removed meanwhile
		case err != nil:
			bad = append(bad, err)
		default:
			all = append(all, one)
		}
	}
	return all, errors.Join(bad...)
}

// contents are the files of a destination and their sizes.
type contents map[string]int64

func filesOf(ctx context.Context, at Destination) (contents, error) {
	files, err := at.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	there := contents{}
	for _, file := range files {
		there[file.Name] = file.Bytes
	}
	return there, nil
}

// names are those of the artefacts that have a manifest, newest first.
func (c contents) names() (names []string) {
	for file := range c {
		if name, _, ok := split(file); ok && isManifest(file) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.Reverse(names)
	return names
}

// lacks says what is wrong with the parts of an artefact, as far as names and sizes tell.
func (c contents) lacks(m *Manifest) error {
	for _, entry := range m.Entries {
		for _, part := range entry.Parts {
			bytes, there := c[part.File]
			switch {
			case !there:
				return damaged(m.Name, "the part "+part.File+" is missing")
			case bytes != part.Bytes:
				return damaged(m.Name, "the part "+part.File+" is another one")
			}
		}
	}
	return nil
}

// complete judges an artefact that seems to lack a part by a second look: the first one may have come while the
// artefact was being written. ErrMissing means that it was being removed.
func complete(ctx context.Context, at Destination, m *Manifest, there contents) error {
	if there.lacks(m) == nil {
		return nil
	}
	now, err := filesOf(ctx, at)
	if err != nil {
		return err
	}
	if _, stands := now[m.Name+manifestEnd]; !stands {
		return ErrMissing
	}
	return now.lacks(m)
}

// Names gives the names of the artefacts of a destination, newest first, without reading their manifests.
func Names(ctx context.Context, at Destination) ([]string, error) {
	there, err := filesOf(ctx, at)
	return there.names(), err
}
