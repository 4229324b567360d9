package backups

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/platform/httpapi"
)

// mostManifest is more than any manifest has.
const mostManifest = 32 << 20

// download streams the files of an artefact as one tar: unpacked into a folder they are what panelctl restores from.
// Faults: not_found (404), backup_missing, backup_elsewhere (409).
func (h *handlers) download(ctx context.Context, in *IDPath) (*httpapi.File, error) {
	run, err := h.store.run(ctx, in.ID, false)
	if err != nil {
		return nil, err
	}
	p, err := h.store.profile(ctx, run.ProfileID)
	if err != nil {
		return nil, err
	}
	at, listed, err := h.find(ctx, &run, p, h.keys(p))
	if err != nil {
		return nil, err
	}
	return &httpapi.File{
		Name: listed.Manifest.Name + ".tar", Type: "application/x-tar",
		Write: func(ctx context.Context, w io.Writer) error {
			defer func() { _ = at.Close() }()
			return pack(ctx, w, at, listed.Manifest)
		},
	}, nil
}

// pack writes the parts in their order, and the manifest last.
func pack(ctx context.Context, w io.Writer, at artefact.Destination, m *artefact.Manifest) error {
	archive := tar.NewWriter(w)
	for _, entry := range m.Entries {
		for _, part := range entry.Parts {
			if err := packFile(ctx, archive, at, part.File, part.Bytes, m.CreatedAt); err != nil {
				return err
			}
		}
	}
	if err := packManifest(ctx, archive, at, m); err != nil {
		return err
	}
	return archive.Close()
}

func packFile(
	ctx context.Context, archive *tar.Writer, at artefact.Destination, file string, size int64, made time.Time,
) error {
	content, err := at.Open(ctx, file)
	if err != nil {
		return fmt.Errorf("read a part of the backup: %w", err)
	}
	defer func() { _ = content.Close() }()
	if err := archive.WriteHeader(header(file, size, made)); err != nil {
		return err
	}
	if _, err := io.Copy(archive, content); err != nil {
		return fmt.Errorf("send a part of the backup: %w", err)
	}
	return nil
}

func packManifest(ctx context.Context, archive *tar.Writer, at artefact.Destination, m *artefact.Manifest) error {
	file := m.Name + ".manifest"
	content, err := at.Open(ctx, file)
	if err != nil {
		return fmt.Errorf("read the manifest of the backup: %w", err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(io.LimitReader(content, mostManifest))
	if err != nil {
		return fmt.Errorf("read the manifest of the backup: %w", err)
	}
	if err := archive.WriteHeader(header(file, int64(len(text)), m.CreatedAt)); err != nil {
		return err
	}
	_, err = archive.Write(text)
	return err
}

func header(file string, size int64, made time.Time) *tar.Header {
	const ownerOnly = 0o600
	return &tar.Header{Name: file, Size: size, Mode: ownerOnly, ModTime: made, Typeflag: tar.TypeReg}
}
