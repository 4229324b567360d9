package domains

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"golang.org/x/net/idna"

	"panel/modules/nodes/nodesapi"
	"panel/platform/fault"
	"panel/platform/hostname"
)

// derive makes the host name from label and zone, which may be written in any alphabet; without a label the node's name
// gives it.
func (s *domains) derive(ctx context.Context, row *domainRow) error {
	zone, err := idna.Lookup.ToASCII(strings.ToLower(strings.TrimSuffix(row.Zone, ".")))
	if _, address := netip.ParseAddr(zone); err != nil || address == nil {
		return fault.InvalidValue("zone", "must be a domain name")
	}
	row.Zone = zone
	if row.Label, err = labelInASCII(row.Label); err != nil {
		return err
	}
	if row.Label == "" {
		node, err := s.fleet.Node(ctx, row.NodeID)
		if errors.Is(err, nodesapi.ErrUnknown) {
			return fault.InvalidValue("node_id", "there is no such node")
		}
		if err != nil {
			return fmt.Errorf("deriving a host name: %w", err)
		}
		row.Label = labelOf(node.Name, row.ID)
	}
	if row.Hostname = row.Label + "." + row.Zone; row.Label == "@" {
		row.Hostname = row.Zone
	}
	switch {
	case !hostname.Is(row.Zone) || !strings.Contains(row.Zone, "."):
		return fault.InvalidValue("zone", "must be a domain name")
	case !hostname.Is(row.Hostname) || strings.Contains(row.Label, "."):
		return errLabel()
	}
	return nil
}

func errLabel() error {
	return fault.InvalidValue("label", "must be one part of a host name: letters, digits and dashes")
}

// labelInASCII is a label as name servers know it; none and the sign for the zone itself stay as they are.
func labelInASCII(label string) (string, error) {
	if label == "" || label == "@" {
		return label, nil
	}
	ascii, err := idna.Lookup.ToASCII(strings.ToLower(label))
	if err != nil {
		return "", errLabel()
	}
	return ascii, nil
}

func labelOf(name, id string) string {
	label := strings.ToLower(tidyLabel(name))
	if label == "" {
		label = "node-" + id[len(id)-8:]
	}
	return label
}

func tidyLabel(name string) string {
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)
	return strings.Trim(label[:min(len(label), 63)], "-")
}
