package nodes

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"panel/platform/fault"
)

// derive makes the host name from label and zone; without a label the node's name gives it.
func (row *domainRow) derive(ctx context.Context, tx bun.IDB) error {
	row.Zone = strings.ToLower(strings.TrimSuffix(row.Zone, "."))
	row.Label = strings.ToLower(row.Label)
	if row.Label == "" {
		var name string
		if err := tx.NewRaw("select name from nodes where id = ?", row.NodeID).Scan(ctx, &name); err != nil {
			return fault.InvalidValue("node_id", "there is no such node").Wrap(err)
		}
		row.Label = labelOf(name, row.ID)
	}
	if row.Hostname = row.Label + "." + row.Zone; row.Label == "@" {
		row.Hostname = row.Zone
	}
	switch {
	case !isHost(row.Zone) || !strings.Contains(row.Zone, "."):
		return fault.InvalidValue("zone", "must be a domain name")
	case !isHost(row.Hostname) || strings.Contains(row.Label, ".") || len(row.Hostname) > 253:
		return fault.InvalidValue("label", "must be one part of a host name: letters, digits and dashes")
	}
	return nil
}

func labelOf(name, id string) string {
	label := strings.ToLower(tidyLabel(name))
	if label == "" {
		label = "node-" + id[len(id)-8:]
	}
	return label
}

func tidyLabel(name string) string {
	kept := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return strings.Trim(kept[:min(len(kept), 63)], "-")
}
