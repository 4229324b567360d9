package statuspage

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"panel/modules/statuspage/internal/place"
	"panel/modules/statuspage/internal/site"
	"panel/modules/statuspage/statuspageapi"
	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/remote"
)

// Kinds of targets.
const (
	kindPanel = "panel"
	kindLocal = "local"
	kindS3    = "static_s3"
	kindSFTP  = "sftp"
	kindNode  = "node"
)

const mostTargets = 20

var errNodeEntry = fault.Invalid("node_has_entry",
	"clients enter a flow at this node, and a status page shows a node's address to every reader; choose another node").
	Field("config.node_id", "node_has_entry", "choose a node that is an entry of no flow")

// addTarget gives a page one more place. Faults: not_found (404), invalid_value, node_has_entry (422).
func (s *service) addTarget(ctx context.Context, pageID string, in NewTarget) (string, error) {
	row := targetRow{
		ID: database.NewID(), Kind: in.Kind, Label: strings.TrimSpace(in.Label),
		Enabled: in.Enabled == nil || *in.Enabled, Config: in.Config, Files: map[string]held{}, CreatedAt: s.now(),
	}
	if in.Secret != "" {
		row.Secret = s.vault.Seal(row.place(), []byte(in.Secret))
	}
	return row.ID, s.inPage(ctx, pageID, func(ctx context.Context, page *pageRow) error {
		row.PageID = page.ID
		all, err := s.store.targets(ctx, page.ID)
		if err != nil {
			return err
		}
		if len(all) >= mostTargets {
			return fault.Invalid("invalid_value", "a page has at most 20 places; remove one first")
		}
		for i := range all {
			if row.Kind == kindPanel && all[i].Kind == kindPanel {
				return fault.InvalidValue("kind", "the panel serves this page already")
			}
		}
		if err := s.fits(ctx, &row); err != nil {
			return err
		}
		if err := s.store.insert(ctx, &row); err != nil {
			return err
		}
		return s.moved(ctx, page, &row, map[string]audit.Change{"target": {To: row.Label}, "kind": {To: row.Kind}})
	})
}

func (s *service) moved(ctx context.Context, page *pageRow, row *targetRow, changes map[string]audit.Change) error {
	news := statuspageapi.News{TargetID: row.ID, Target: row.Label}
	return s.publish(ctx, statuspageapi.TargetChanged, page, news, changes)
}

// fits refuses settings that cannot work, without a call. Faults: invalid_value, node_has_entry (422).
func (s *service) fits(ctx context.Context, t *targetRow) error {
	if t.Label == "" {
		return fault.InvalidValue("label", "give the place a name")
	}
	if t.Config.PublicURL != "" {
		u, err := url.Parse(t.Config.PublicURL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
			return fault.InvalidValue("config.public_url", "the address looks like https://status.example.com")
		}
	}
	if t.Kind == kindNode {
		return s.nodeFits(ctx, t)
	}
	opened, err := s.open(t)
	if err != nil {
		return err
	}
	return opened.Close()
}

// nodeFits refuses a node that clients of a flow enter. Faults: invalid_value, node_has_entry (422).
func (s *service) nodeFits(ctx context.Context, t *targetRow) error {
	const lowest = 1
	if t.Config.Port < lowest {
		return fault.InvalidValue("config.port", "give the port on which the agent serves the page")
	}
	missing, err := s.fleet.Hold(ctx, t.Config.NodeID)
	if err != nil {
		return err
	}
	if len(missing) > 0 || !database.IsID(t.Config.NodeID) {
		return fault.InvalidValue("config.node_id", "there is no such node")
	}
	entered, err := s.isEntry(ctx, t.Config.NodeID)
	if err != nil {
		return err
	}
	if entered {
		return errNodeEntry
	}
	return nil
}

// isEntry says whether clients of an installed flow enter at a node.
func (s *service) isEntry(ctx context.Context, nodeID string) (bool, error) {
	flows, err := s.flows.OnNode(ctx, nodeID)
	if err != nil {
		return false, fmt.Errorf("read the flows of a node: %w", err)
	}
	for i := range flows {
		for _, entry := range flows[i].Entries {
			if entry.NodeID == nodeID {
				return true, nil
			}
		}
	}
	return false, nil
}

// open makes the place of a target. It calls nobody yet. Fault: invalid_value (422).
func (s *service) open(t *targetRow) (place.Place, error) {
	c := &t.Config
	secret := ""
	if t.Secret != "" {
		plain, err := s.vault.Open(t.place(), t.Secret)
		if err != nil {
			return nil, fmt.Errorf("open the secret of a place of a status page: %w", err)
		}
		secret = string(plain)
	}
	env := remote.Env{
		Network: s.network, Reach: outbound.Private, Name: "statuspage", Words: remote.Words{
			Send: "send a file of the page", Open: "open a file of the page", Read: "read a file of the page",
			Remove: "remove a file of the page", AccessKey: "access_key",
		},
	}
	switch t.Kind {
	case kindPanel:
		return &ownPlace{s.store, t.ID}, nil
	case kindNode:
		return s.nodePlace(t), nil
	case kindLocal:
		folder, inside := place.Inside(s.folder, c.Folder)
		if !inside {
			return nil, fault.InvalidValue("config.folder", "the folder lies in the folder of status pages (PANEL_STATUSPAGE_DIR)")
		}
		return place.Local(folder), nil
	case kindS3:
		roots, err := authorities(c.CA)
		if err != nil {
			return nil, err
		}
		bucket, err := env.OpenS3(remote.S3{
			Endpoint: c.Endpoint, Bucket: c.Bucket, Prefix: c.Prefix, Region: c.Region, AccessKeyID: c.AccessKey,
			SecretKey: secret, PathStyle: c.PathStyle, Roots: roots,
		})
		return elsewhere(bucket, err)
	case kindSFTP:
		folder, err := env.OpenSFTP(remote.SFTP{
			Host: c.Host, Port: c.Port, User: c.User, Folder: c.Folder, HostKey: c.HostKey, Secret: secret,
		})
		return elsewhere(folder, err)
	}
	return nil, fault.InvalidValue("kind", "a place is panel, local, static_s3, sftp or node")
}

func elsewhere(files place.Files, err error) (place.Place, error) {
	if err != nil {
		return nil, err
	}
	return place.Elsewhere(files), nil
}

func authorities(text string) (*x509.CertPool, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // those of the system
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, fault.InvalidValue("config.ca", "this is no certificate in PEM")
	}
	return pool, nil
}

// addressOf is where readers find the page that a place holds; empty where nobody said.
func (s *service) addressOf(t *targetRow, slug string) string {
	switch {
	case t.Kind == kindPanel && s.address != "":
		return strings.TrimSuffix(s.address, "/") + "/status/" + slug // leads on to its index.html
	case t.Config.PublicURL != "":
		return strings.TrimSuffix(t.Config.PublicURL, "/") + "/"
	}
	return ""
}

// nodeAddress is where the agent of a node serves a page.
func (s *service) nodeAddress(ctx context.Context, t *targetRow) string {
	node, err := s.fleet.Node(ctx, t.Config.NodeID)
	if err != nil || node.Address == "" {
		return ""
	}
	return "http://" + net.JoinHostPort(node.Address, strconv.Itoa(t.Config.Port)) + "/"
}

// readersAt is addressOf, for nodes as well.
func (s *service) readersAt(ctx context.Context, t *targetRow, slug string) string {
	if t.Kind == kindNode && t.Config.PublicURL == "" {
		return s.nodeAddress(ctx, t)
	}
	return s.addressOf(t, slug)
}

// targetsOf lists the places of a page. Fault: not_found (404).
func (s *service) targetsOf(ctx context.Context, pageID string) (Targets, error) {
	out := Targets{Items: []Target{}}
	page, err := s.store.page(ctx, pageID, false)
	if err != nil {
		return out, err
	}
	rows, err := s.store.targets(ctx, page.ID)
	if err != nil {
		return out, err
	}
	for i := range rows {
		shown, err := s.targetShown(ctx, &page, &rows[i])
		if err != nil {
			return out, err
		}
		out.Items = append(out.Items, shown)
	}
	return out, nil
}

func (s *service) targetShown(ctx context.Context, page *pageRow, t *targetRow) (Target, error) {
	out := Target{
		ID: t.ID, PageID: t.PageID, Kind: t.Kind, Label: t.Label, Enabled: t.Enabled, Config: t.Config,
		HasSecret: t.Secret != "", Address: s.readersAt(ctx, t, page.Slug), DataAt: utc(t.DataAt), Error: t.Error,
		State: t.state(page),
	}
	last, err := s.lastDeploy(ctx, t)
	out.LastDeploy = last
	return out, err
}

func (r *targetRow) state(page *pageRow) string {
	switch {
	case r.Failed:
		return "failed"
	case r.LiveDeployID == nil:
		return "never"
	case r.LiveRevision < page.PublishedRevision:
		return "outdated"
	}
	return "live"
}

// targetOf gives one place. Fault: not_found (404).
func (s *service) targetOf(ctx context.Context, id string) (Target, error) {
	row, err := s.store.target(ctx, id, false)
	if err != nil {
		return Target{}, err
	}
	page, err := s.store.page(ctx, row.PageID, false)
	if err != nil {
		return Target{}, err
	}
	return s.targetShown(ctx, &page, &row)
}

// inTarget runs a change of a place with its page locked, while no deploy is on its way to it.
// Faults: not_found (404), deploy_active (409).
func (s *service) inTarget(
	ctx context.Context, id string, change func(ctx context.Context, page *pageRow, row *targetRow) error,
) error {
	return s.store.db.InTx(ctx, func(ctx context.Context) error {
		seen, err := s.store.target(ctx, id, false)
		if err != nil {
			return err
		}
		page, err := s.store.page(ctx, seen.PageID, true)
		if err != nil {
			return err
		}
		if err := s.checkNoDeploy(ctx, page.ID); err != nil {
			return err
		}
		row, err := s.store.target(ctx, id, true)
		if err != nil {
			return err
		}
		return change(ctx, &page, &row)
	})
}

// retarget changes what is given. Where it leads elsewhere, it shows nothing until the next deploy.
// Faults: not_found (404), deploy_active (409), invalid_value, node_has_entry (422).
func (s *service) retarget(ctx context.Context, id string, to TargetChange) error {
	return s.inTarget(ctx, id, func(ctx context.Context, page *pageRow, row *targetRow) error {
		was := *row
		if to.Label != nil {
			row.Label = strings.TrimSpace(*to.Label)
		}
		set(&row.Enabled, to.Enabled)
		set(&row.Config, to.Config)
		if to.Secret != nil {
			row.Secret = ""
			if *to.Secret != "" {
				row.Secret = s.vault.Seal(row.place(), []byte(*to.Secret))
			}
		}
		if err := s.fits(ctx, row); err != nil {
			return err
		}
		if row.Config != was.Config {
			if err := s.withdraw(ctx, &was); err != nil {
				return err
			}
			row.Files, row.LiveDeployID, row.LiveRevision, row.DataAt, row.PushAt = map[string]held{}, nil, 0, nil, nil
			row.Failed, row.Error, row.Stale = false, "", false
		}
		now := s.now()
		if row.PushAt = nil; row.Enabled && row.LiveDeployID != nil {
			row.PushAt = &now
		}
		err := s.store.save(ctx, row, "label", "enabled", "config", "secret", "files", "live_deploy_id", "live_revision",
			"data_at", "push_at", "failed", "error", "stale")
		if err != nil {
			return err
		}
		return s.moved(ctx, page, row, map[string]audit.Change{
			"target": {From: was.Label, To: row.Label}, "enabled": {From: was.Enabled, To: row.Enabled},
			"config": {To: map[bool]string{true: "unchanged", false: "changed"}[row.Config == was.Config]},
		})
	})
}

// dropTarget forgets a place. What it holds stays there, but for what the panel and agents serve.
// Faults: not_found (404), deploy_active (409).
func (s *service) dropTarget(ctx context.Context, id string) error {
	return s.inTarget(ctx, id, func(ctx context.Context, page *pageRow, row *targetRow) error {
		if err := s.withdraw(ctx, row); err != nil {
			return err
		}
		if err := s.store.remove(ctx, row); err != nil {
			return err
		}
		return s.moved(ctx, page, row, map[string]audit.Change{"target": {From: row.Label}})
	})
}

// try keeps a file at a place, fetches it back and takes it away. Fault: not_found (404).
func (s *service) try(ctx context.Context, id string) (Tested, error) {
	row, err := s.store.target(ctx, id, false)
	if err != nil {
		return Tested{}, err
	}
	page, err := s.store.page(ctx, row.PageID, false)
	if err != nil {
		return Tested{}, err
	}
	out := Tested{OK: true, Address: s.readersAt(ctx, &row, page.Slug)}
	if err := s.tried(ctx, &row, page.Slug); err != nil {
		out.OK, out.Code, out.Message = false, codeOf(err), err.Error()
	}
	return out, nil
}

const tryWithin = 30 * time.Second

func (s *service) tried(ctx context.Context, t *targetRow, slug string) error {
	if t.Kind == kindNode {
		return s.nodeReady(ctx, t)
	}
	opened, err := s.open(t)
	if err != nil {
		return err
	}
	defer opened.Close() //nolint:errcheck // nothing is written any more
	ctx, cancel := context.WithTimeout(ctx, tryWithin)
	defer cancel()
	random := make([]byte, 8)
	_, _ = rand.Read(random)
	file := site.NewFile("panel-check-"+hex.EncodeToString(random)+".txt", "text/plain; charset=utf-8",
		[]byte("the panel tries this place\n"))
	if err := opened.Put(ctx, &file); err != nil {
		return err
	}
	err = s.fetchedBack(ctx, opened, t, slug, &file)
	if removed := opened.Remove(context.WithoutCancel(ctx), file.Path); err == nil {
		err = removed
	}
	return err
}
