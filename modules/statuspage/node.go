package statuspage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"panel/modules/nodes/nodesapi"
	"panel/modules/statuspage/internal/place"
	"panel/modules/statuspage/internal/site"
	"panel/platform/agentapi"
	"panel/platform/remote"
)

// takenWithin is how long an agent may need to serve a page.
const takenWithin = time.Minute

var (
	errAgentLacks = errors.New("the agent of the node is too old to serve a page: update it")
	errAgentAway  = errors.New("the agent of the node did not take the page in time: it is asked again when it answers")
)

// nodePlace is an agent that serves a page. It gets all files at once, in one document, and puts them in the place of
// those before in one step.
type nodePlace struct {
	place.Place
	*service

	target *targetRow
}

func (s *service) nodePlace(t *targetRow) *nodePlace { return &nodePlace{service: s, target: t} }

// bring has the agent serve the files.
func (n *nodePlace) bring(ctx context.Context, files []site.File) error {
	if err := n.nodeReady(ctx, n.target); err != nil {
		return err
	}
	content := agentapi.Site{Port: n.target.Config.Port, Files: make([]agentapi.SiteFile, len(files))}
	for i := range files {
		content.Files[i] = agentapi.SiteFile{
			Path: files[i].Path, MediaType: files[i].MediaType, Content: files[i].Content,
		}
	}
	return n.give(ctx, n.target, content)
}

func (s *service) give(ctx context.Context, t *targetRow, content agentapi.Site) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		err := s.documents.Set(ctx, nodesapi.Document{
			NodeID: t.Config.NodeID, Name: string(agentapi.DocumentSite), Content: content,
		})
		if errors.Is(err, nodesapi.ErrTooLarge) {
			return errors.New("the page is too large for an agent: show fewer components")
		}
		return err
	})
}

// taken waits until the agent says that it serves the files, each of which it has compared with its digest.
func (n *nodePlace) taken(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, takenWithin)
	defer cancel()
	const pause = 300 * time.Millisecond
	for {
		states, err := n.documents.States(ctx, string(agentapi.DocumentSite), n.target.Config.NodeID)
		if err != nil {
			return fmt.Errorf("ask what became of a page on a node: %w", err)
		}
		switch state := states[n.target.Config.NodeID]; state.State {
		case nodesapi.DocumentApplied:
			return nil
		case nodesapi.DocumentFailed:
			return fmt.Errorf("the agent of the node does not serve the page: %s", state.Error)
		}
		select {
		case <-ctx.Done():
			return errAgentAway
		case <-time.After(pause):
		}
	}
}

// nodeReady says whether the node may serve a page, and its agent can. Fault: node_has_entry (422).
func (s *service) nodeReady(ctx context.Context, t *targetRow) error {
	node, err := s.fleet.Node(ctx, t.Config.NodeID)
	switch {
	case errors.Is(err, nodesapi.ErrUnknown):
		return errors.New("the node is gone")
	case err != nil:
		return err
	case !node.Can(string(agentapi.DocumentSite.Capability())):
		return errAgentLacks
	}
	entered, err := s.isEntry(ctx, node.ID)
	if err == nil && entered {
		return errNodeEntry
	}
	return err
}

// withdraw takes a page from where the panel or an agent serves it; elsewhere it stays as it is.
func (s *service) withdraw(ctx context.Context, t *targetRow) error {
	switch t.Kind {
	case kindNode:
		return s.give(ctx, t, agentapi.Site{Files: []agentapi.SiteFile{}})
	case kindPanel:
		_, err := s.store.db.In(ctx).NewRaw("delete from statuspage_files where target_id = ?", t.ID).Exec(ctx)
		return err
	}
	return nil
}

// ownPlace is the panel itself.
type ownPlace struct {
	store  *store
	target string
}

func (o *ownPlace) Held(context.Context, []string) (map[string]string, error) { return nil, nil }

func (o *ownPlace) Put(ctx context.Context, f *site.File) error {
	row := fileRow{TargetID: o.target, Path: f.Path, MediaType: f.MediaType, SHA256: f.SHA256, Content: f.Content}
	_, err := o.store.db.In(ctx).NewInsert().Model(&row).On("conflict (target_id, path) do update").
		Set("media_type = excluded.media_type, sha256 = excluded.sha256, content = excluded.content").Exec(ctx)
	return err
}

func (o *ownPlace) Get(ctx context.Context, path string) ([]byte, error) {
	var found [][]byte
	err := o.store.db.In(ctx).NewRaw("select content from statuspage_files where target_id = ? and path = ?",
		o.target, path).Scan(ctx, &found)
	if err == nil && len(found) == 0 {
		return nil, remote.ErrMissing
	}
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

func (o *ownPlace) Remove(ctx context.Context, path string) error {
	_, err := o.store.db.In(ctx).NewRaw("delete from statuspage_files where target_id = ? and path = ?", o.target, path).
		Exec(ctx)
	return err
}

func (o *ownPlace) Close() error { return nil }
