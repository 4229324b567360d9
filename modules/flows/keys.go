package flows

import (
	"context"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"panel/modules/flows/internal/graph"
	"panel/modules/flows/internal/plan"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/vault"
)

// keyRow is a secret of a listener that somebody brought. A drawing names a private key of REALITY by its public half,
// and any other secret by a name that was made up for it, which stands in the same column.
type keyRow struct {
	bun.BaseModel `bun:"table:flow_keys,alias:k"`

	FlowID    string `bun:",pk"`
	PublicKey string `bun:",pk"`
	Private   string
	CreatedAt time.Time
}

func keyRef(flowID, public string) vault.Ref {
	return vault.Ref{Table: "flow_keys", ID: flowID + "/" + public, Column: "private"}
}

// withoutKeys takes the private keys out of a drawing and leaves their public halves in their places. The keys come by
// their public halves. Fault: invalid_value (422).
func withoutKeys(g graph.Graph) (graph.Graph, map[string]string, error) {
	keys := map[string]string{}
	g.Nodes = slices.Clone(g.Nodes)
	for i := range g.Nodes {
		p := &g.Nodes[i].Params
		for _, at := range []struct {
			field string
			l     **graph.Listener
		}{{"listener", &p.Listener}, {"hop", &p.Hop}} {
			if *at.l == nil {
				continue
			}
			l := **at.l
			if field, err := take(&l, keys); err != nil {
				return g, nil, fault.InvalidValue(fmt.Sprintf("graph.nodes[%d].params.%s.%s", i, at.field, field), err.Error())
			}
			*at.l = &l
		}
	}
	return g, keys, nil
}

// take moves what is secret of a listener into keys. An error is a sentence about the field.
func take(l *graph.Listener, keys map[string]string) (field string, err error) {
	if l.Reality != nil && l.Reality.PrivateKey != "" {
		private, public, ok := pairOf(l.Reality.PrivateKey)
		if !ok {
			return "reality.private_key", errPrivateKey
		}
		r := *l.Reality
		r.PrivateKey, r.PublicKey = "", public
		l.Reality, keys[public] = &r, private
	}
	if l.Secret == "" {
		return "", nil
	}
	if size := keySizes[l.Filled().Method]; l.Protocol == "shadowsocks2022" {
		if raw, err := base64.StdEncoding.DecodeString(l.Secret); err != nil || len(raw) != size {
			return "secret", errServerKey
		}
	}
	ref := database.NewID()
	keys[ref], l.Secret, l.SecretRef = l.Secret, "", ref
	return "", nil
}

var (
	errPrivateKey = errors.New("a private key is 32 bytes in Base64, as the core's x25519 command prints it")
	errServerKey  = errors.New("a key of this method is 16 or 32 bytes in Base64, as the method says")
)

var keySizes = map[string]int{"2022-blake3-aes-128-gcm": 16, "2022-blake3-aes-256-gcm": 32}

// withSecret is a listener with its own secret.
func withSecret(l graph.Listener, keys map[string]string) graph.Listener {
	l.Secret = keys[l.SecretRef]
	return l
}

// pairOf reads a private key in any alphabet of Base64, and gives it as the core reads it, with its public half.
func pairOf(text string) (private, public string, ok bool) {
	plain := strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimSpace(text)), "=")
	raw, err := base64.RawURLEncoding.DecodeString(plain)
	if err != nil {
		return "", "", false
	}
	key, err := ecdh.X25519().NewPrivateKey(raw)
	if err != nil {
		return "", "", false
	}
	return plain, base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), true
}

// ownKeys lists the secrets that a drawing names, sorted.
func ownKeys(g graph.Graph) []string {
	named := map[string]bool{}
	for _, n := range g.Nodes {
		for _, l := range []*graph.Listener{n.Params.Listener, n.Params.Hop} {
			if l != nil && l.Reality != nil && l.Reality.PublicKey != "" {
				named[l.Reality.PublicKey] = true
			}
			if l != nil && l.SecretRef != "" {
				named[l.SecretRef] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(named))
}

// fieldOf is the field of a drawing that names a secret first.
func fieldOf(g graph.Graph, public string) string {
	for i, n := range g.Nodes {
		for field, l := range map[string]*graph.Listener{"listener": n.Params.Listener, "hop": n.Params.Hop} {
			if l != nil && l.SecretRef == public {
				return fmt.Sprintf("graph.nodes[%d].params.%s.secret_ref", i, field)
			}
			if l != nil && l.Reality != nil && l.Reality.PublicKey == public {
				return fmt.Sprintf("graph.nodes[%d].params.%s.reality.public_key", i, field)
			}
		}
	}
	return "graph"
}

// keepKeys stores the keys that came with a drawing and proves that the others it names are there.
// Fault: invalid_value (422).
func (s *store) keepKeys(
	ctx context.Context, flowID string, g graph.Graph, brought map[string]string, now time.Time,
) error {
	var rows []keyRow
	for _, public := range slices.Sorted(maps.Keys(brought)) {
		rows = append(rows, keyRow{
			FlowID: flowID, PublicKey: public, CreatedAt: now,
			Private: s.vault.Seal(keyRef(flowID, public), []byte(brought[public])),
		})
	}
	if len(rows) > 0 {
		_, err := s.db.In(ctx).NewInsert().Model(&rows).On("conflict do nothing").Exec(ctx)
		if err != nil {
			return database.Fault(fmt.Errorf("store the private keys of a flow: %w", err), nil)
		}
	}
	_, err := s.keys(ctx, flowID, g, brought)
	return err
}

// keys opens the private keys that a drawing names; those that came with it are not looked up.
// Fault: invalid_value (422) for one that nobody brought.
func (s *store) keys(
	ctx context.Context, flowID string, g graph.Graph, brought map[string]string,
) (map[string]string, error) {
	wanted := slices.DeleteFunc(ownKeys(g), func(public string) bool { return brought[public] != "" })
	if len(wanted) == 0 {
		return brought, nil
	}
	opened, err := s.openKeys(ctx, []string{flowID}, wanted)
	if err != nil {
		return nil, err
	}
	out := maps.Clone(brought)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, opened[flowID])
	for _, public := range wanted {
		if out[public] == "" {
			return nil, fault.InvalidValue(fieldOf(g, public),
				"this flow was never given the secret of this name: send the secret itself, or leave its name out")
		}
	}
	return out, nil
}

// openKeys gives private keys of flows by the flow and the name under which a drawing knows them.
func (s *store) openKeys(ctx context.Context, flowIDs, wanted []string) (map[string]map[string]string, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	var rows []keyRow
	err := s.db.In(ctx).NewSelect().Model(&rows).Where("flow_id = any(?::uuid[]) and public_key = any(?::text[])",
		pgdialect.Array(flowIDs), pgdialect.Array(wanted)).Scan(ctx)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the private keys of flows: %w", err), nil)
	}
	out := map[string]map[string]string{}
	for _, row := range rows {
		raw, err := s.vault.Open(keyRef(row.FlowID, row.PublicKey), row.Private)
		if err != nil {
			return nil, fmt.Errorf("open a private key of flow %s: %w", row.FlowID, err)
		}
		if out[row.FlowID] == nil {
			out[row.FlowID] = map[string]string{}
		}
		out[row.FlowID][row.PublicKey] = string(raw)
	}
	return out, nil
}

// linkedFlows reads what the connections to flows are made of, except for who connects. Of the installed parts it opens
// those of entries alone.
func (s *store) linkedFlows(ctx context.Context, flowIDs []string) (map[string]*linked, error) {
	if len(flowIDs) == 0 {
		return nil, nil
	}
	var rows []struct {
		flowRow `bun:",extend"`
		Drawn   graph.Graph `bun:",type:jsonb"`
	}
	err := s.db.In(ctx).NewRaw(`select f.id, f.name, f.owner_id, f.enabled, f.root, f.installed_version_id, f.installed_hosts,
			v.graph as drawn
		from flows f left join flow_versions v on v.flow_id = f.id and v.id = f.installed_version_id
		where f.id = any(?::uuid[]) and not f.deleting`, pgdialect.Array(flowIDs)).Scan(ctx, &rows)
	if err != nil {
		return nil, database.Fault(fmt.Errorf("read the flows of a client: %w", err), nil)
	}
	out, nodeIDs, names := map[string]*linked{}, []string{}, []string{}
	for i := range rows {
		out[rows[i].ID] = &linked{
			flow: &rows[i].flowRow, graph: rows[i].Drawn, parts: map[string]plan.Fragment{},
		}
		for _, entry := range plan.Entries(rows[i].Drawn) {
			nodeIDs = append(nodeIDs, entry.NodeID)
		}
		names = append(names, ownKeys(rows[i].Drawn)...)
	}
	return out, s.fill(ctx, out, flowIDs, nodeIDs, names)
}

// fill adds installed parts and keys to flows.
func (s *store) fill(ctx context.Context, flows map[string]*linked, flowIDs, nodeIDs, names []string) error {
	parts, err := s.fragments(ctx, "flow_id = any(?::uuid[]) and node_id = any(?::text[])", pgdialect.Array(flowIDs),
		pgdialect.Array(nodeIDs))
	if err != nil {
		return err
	}
	for _, part := range parts {
		if l := flows[part.FlowID]; l != nil {
			l.parts[part.NodeID] = part
		}
	}
	opened, err := s.openKeys(ctx, flowIDs, names)
	for id, l := range flows {
		l.keys = opened[id]
	}
	return err
}

// withoutNames takes the names of secrets out of a drawing that leaves the flow: no other flow has what they name.
func withoutNames(g graph.Graph) graph.Graph {
	g.Nodes = slices.Clone(g.Nodes)
	for i := range g.Nodes {
		p := &g.Nodes[i].Params
		for _, at := range []**graph.Listener{&p.Listener, &p.Hop} {
			if *at == nil {
				continue
			}
			l := **at
			l.SecretRef = ""
			if l.Reality != nil {
				r := *l.Reality
				r.PublicKey, r.TargetResultID = "", ""
				l.Reality = &r
			}
			*at = &l
		}
	}
	return g
}

func fragmentRef(flowID, nodeID string) vault.Ref {
	return vault.Ref{Table: "flow_fragments", ID: flowID + "/" + nodeID, Column: "content"}
}

func rootRef(flowID string) vault.Ref { return vault.Ref{Table: "flows", ID: flowID, Column: "root"} }

func contentRef(applyID string) vault.Ref {
	return vault.Ref{Table: "flow_applies", ID: applyID, Column: "content"}
}

func (s *store) root(row *flowRow) ([]byte, error) {
	raw, err := s.vault.Open(rootRef(row.ID), row.Root)
	if err != nil {
		return nil, fmt.Errorf("open the root secret of flow %s: %w", row.ID, err)
	}
	return raw, nil
}

func planRef(planID string) vault.Ref {
	return vault.Ref{Table: "flow_plans", ID: planID, Column: "content"}
}

func (s *store) sealPlan(planID string, p planned) (string, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("encode the parts of a plan: %w", err)
	}
	return s.vault.Seal(planRef(planID), raw), nil
}

// openPlan gives what a plan installs; nil when that is not stored any more.
func (s *store) openPlan(ctx context.Context, planID string) (*planned, error) {
	var sealed string
	err := s.db.In(ctx).NewSelect().Model((*planRow)(nil)).Column("content").Where("id = ?", planID).Scan(ctx, &sealed)
	if err != nil || sealed == "" {
		return nil, database.Fault(err, nil)
	}
	out := new(planned)
	raw, err := s.vault.Open(planRef(planID), sealed)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		return nil, fmt.Errorf("open the parts of plan %s: %w", planID, err)
	}
	return out, nil
}

func (s *store) sealContent(applyID string, fragments map[string]plan.Fragment) (string, error) {
	raw, err := json.Marshal(fragments)
	if err != nil {
		return "", fmt.Errorf("encode the parts of an apply: %w", err)
	}
	return s.vault.Seal(contentRef(applyID), raw), nil
}

// openContent opens the parts of an apply once for each claim.
func (s *store) openContent(row *applyRow) (map[string]plan.Fragment, error) {
	if row.parts != nil {
		return row.parts, nil
	}
	out := map[string]plan.Fragment{}
	raw, err := s.vault.Open(contentRef(row.ID), row.Content)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("open the parts of apply %s: %w", row.ID, err)
	}
	row.parts = out
	return out, nil
}

func previousRef(applyID string) vault.Ref {
	return vault.Ref{Table: "flow_applies", ID: applyID, Column: "previous"}
}

func (s *store) sealPrevious(applyID string, parts map[string]plan.Fragment) (string, error) {
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", fmt.Errorf("encode the parts that a canary replaces: %w", err)
	}
	return s.vault.Seal(previousRef(applyID), raw), nil
}

// openPrevious opens the parts that a canary has replaced.
func (s *store) openPrevious(row *applyRow) (map[string]plan.Fragment, error) {
	out := map[string]plan.Fragment{}
	raw, err := s.vault.Open(previousRef(row.ID), row.Previous)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("open the parts that the canary of apply %s has replaced: %w", row.ID, err)
	}
	return out, nil
}
