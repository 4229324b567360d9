package updates

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"go.uber.org/zap"

	"panel/platform/database"
	"panel/platform/files"
	"panel/platform/release"
)

// buildRow is a release of the agent in the database.
type buildRow struct {
	bun.BaseModel `bun:"table:agent_builds,alias:b"`

	Version    string            `bun:",pk"`
	ReleasedAt time.Time         `bun:"released_at"`
	Manifest   string            `bun:"manifest"`
	Signature  string            `bun:"signature"`
	Files      map[string]string `bun:"files,type:jsonb"` // platform to digest
	WithPanel  bool              `bun:"with_panel"`       // it was beside a panel's own executable
}

// shelf has the stored releases in memory as long as notifications of changes arrive.
type shelf struct {
	db       *database.DB
	files    *files.Store
	listener *database.Listener
	log      *zap.Logger

	mu      sync.Mutex
	changes int
	read    bool
	builds  []*build // newest first
}

const (
	buildsChannel = "agent_builds"
	buildsOwner   = "updates.builds"
	keptBuilds    = 2 // the newest, and the one before for a rollout that is under way
)

func newShelf(db *database.DB, store *files.Store, listener *database.Listener, log *zap.Logger) *shelf {
	s := &shelf{db: db, files: store, listener: listener, log: log}
	listener.On(buildsChannel, func(string) { s.drop() })
	listener.OnReady(s.drop)
	return s
}

func (s *shelf) drop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	s.read, s.builds = false, nil
}

// all gives the stored releases, newest first.
func (s *shelf) all(ctx context.Context) ([]*build, error) {
	s.mu.Lock()
	known, read, before := s.builds, s.read, s.changes
	s.mu.Unlock()
	if read && s.listener.Healthy() {
		return known, nil
	}
	var rows []buildRow
	if err := s.db.In(ctx).NewSelect().Model(&rows).Scan(ctx); err != nil {
		return nil, database.Fault(err, nil)
	}
	var found []*build
	for _, row := range rows {
		b := &build{
			text: []byte(row.Manifest), signature: []byte(row.Signature), files: row.Files,
			withPanel: row.WithPanel,
		}
		if err := json.Unmarshal(b.text, &b.Manifest); err != nil {
			return nil, fmt.Errorf("read the stored release %s of the agent: %w", row.Version, err)
		}
		found = append(found, b)
	}
	slices.SortFunc(found, func(a, b *build) int { return release.Compare(b.Version, a.Version) })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changes == before {
		s.read, s.builds = true, found
	}
	return found, nil
}

// outdated reports whether a release is one that the database does not have: a newer version, or a later edition of
// one.
func (s *shelf) outdated(ctx context.Context, b *build) (bool, error) {
	known, err := s.all(ctx)
	if err != nil {
		return false, err
	}
	for _, k := range known {
		switch order := release.Compare(k.Version, b.Version); {
		case order > 0, order == 0 && !b.ReleasedAt.After(k.ReleasedAt) && missing(b.files, k.files) == "":
			return false, nil
		}
	}
	return true, nil
}

// missing names a platform that one list has and the other one has not.
func missing(wanted, there map[string]string) string {
	for platform := range wanted {
		if there[platform] == "" {
			return platform
		}
	}
	return ""
}

// put stores a release whose executables are files of this machine. Of a panel that dies meanwhile nothing is left.
func (s *shelf) put(ctx context.Context, b *build) error {
	row := buildRow{
		Version: b.Version, ReleasedAt: b.ReleasedAt, Manifest: string(b.text), Signature: string(b.signature),
		Files: map[string]string{}, WithPanel: b.withPanel,
	}
	for platform, path := range b.files {
		stored, err := s.putFile(ctx, path, b.Artefacts[release.Agent][platform])
		if err != nil {
			return fmt.Errorf("store the agent %s for %s: %w", b.Version, platform, err)
		}
		row.Files[platform] = stored.SHA256
	}
	err := s.db.InTx(ctx, func(ctx context.Context) error {
		_, err := s.db.In(ctx).NewInsert().Model(&row).On("conflict (version) do update").
			Set("released_at = excluded.released_at, manifest = excluded.manifest, signature = excluded.signature").
			Set("files = excluded.files, with_panel = excluded.with_panel, stored_at = now()").Exec(ctx)
		if err != nil {
			return database.Fault(err, nil)
		}
		if err := s.keepNewest(ctx); err != nil {
			return err
		}
		return database.Notify(ctx, s.db.In(ctx), buildsChannel, "")
	})
	if err == nil {
		s.drop()
	}
	return err
}

func (s *shelf) putFile(ctx context.Context, path string, artefact release.Artefact) (files.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return files.File{}, err
	}
	defer func() { _ = file.Close() }()
	return s.files.Put(
		ctx,
		io.LimitReader(file, artefact.Size+1),
		files.File{SHA256: artefact.SHA256, Size: artefact.Size},
	)
}

// keepNewest forgets old releases; their executables go when nobody uses them.
func (s *shelf) keepNewest(ctx context.Context) error {
	var rows []buildRow
	if err := s.db.In(ctx).NewSelect().Model(&rows).For("update").Scan(ctx); err != nil {
		return database.Fault(err, nil)
	}
	slices.SortFunc(rows, func(a, b buildRow) int { return release.Compare(b.Version, a.Version) })
	kept := rows[:min(len(rows), keptBuilds)]
	for _, old := range rows[len(kept):] {
		if _, err := s.db.In(ctx).NewDelete().Model(&old).WherePK().Exec(ctx); err != nil {
			return database.Fault(err, nil)
		}
	}
	var sums []string
	for _, row := range kept {
		sums = slices.AppendSeq(sums, maps.Values(row.Files))
	}
	return s.files.Use(ctx, buildsOwner, files.Agents, sums...)
}
