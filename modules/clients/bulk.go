package clients

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/database"
	"panel/platform/fault"
)

// Acts on many clients.
const (
	actEnable   = "enable"
	actDisable  = "disable"
	actRevoke   = "revoke"
	actTags     = "tags"
	actExpiry   = "expiry"
	actExtend   = "extend"
	actQuota    = "quota"
	actLimits   = "limits"
	actReset    = "reset_traffic"
	actGiveFlow = "give_flow"
	actTakeFlow = "take_flow"
)

// bulk carries an act out on each client, in the order given, by the rules of the single routes: one that refuses keeps
// back no other. Fault: invalid_value (422).
func (c *clients) bulk(ctx context.Context, in *Acts) (BulkOutcome, error) {
	out := BulkOutcome{Results: []BulkResult{}}
	if err := in.check(); err != nil {
		return out, err
	}
	seen := map[string]bool{}
	for _, id := range in.IDs {
		if seen[id] {
			continue
		}
		seen[id] = true
		err := missing()
		if database.IsID(id) {
			err = c.act(ctx, in, id)
		}
		result := BulkResult{ClientID: id, OK: true}
		if err != nil {
			result = c.refused(id, err)
			out.Failed++
		} else {
			out.Succeeded++
		}
		out.Results = append(out.Results, result)
	}
	return out, nil
}

// check refuses arguments of another act. Fault: invalid_value (422).
func (in *Acts) check() error {
	switch {
	case (in.Act == actTags) != (len(in.AddTags)+len(in.RemoveTags) > 0):
		return fault.InvalidValue("add_tags", "add_tags or remove_tags belong to the act tags, and to no other")
	case in.ends() > 1 || (in.Act == actExpiry) != (in.ends() == 1):
		return fault.InvalidValue("expires_at",
			"one of expires_at, lasts_days and never_expires belongs to the act expiry, and to no other")
	case (in.Act == actExtend) != (in.ExtendDays > 0):
		return fault.InvalidValue("extend_days", "extend_days belongs to the act extend, and to no other")
	case (in.Act == actQuota) != (in.Quota != nil || in.NoQuota) || in.Quota != nil && in.NoQuota:
		return fault.InvalidValue("quota", "quota or no_quota belong to the act quota, and to no other")
	case (in.Act == actLimits) != (in.Limits != nil):
		return fault.InvalidValue("limits", "limits belongs to the act limits, and to no other")
	case (in.Act == actGiveFlow || in.Act == actTakeFlow) != (in.FlowID != ""):
		return fault.InvalidValue("flow_id", "flow_id belongs to give_flow and take_flow, and to no other act")
	}
	return nil
}

// ends counts in how many ways it says when time ends.
func (in *Acts) ends() (n int) {
	for _, said := range []bool{in.ExpiresAt != nil, in.LastsDays > 0, in.NeverExpires} {
		if said {
			n++
		}
	}
	return n
}

func (c *clients) act(ctx context.Context, in *Acts, id string) error {
	switch in.Act {
	case actRevoke:
		return c.revoke(ctx, id)
	case actGiveFlow:
		_, err := c.give(ctx, id, in.FlowID)
		return err
	case actTakeFlow:
		return c.take(ctx, id, in.FlowID)
	}
	return c.edit(ctx, id, nil, func(row *clientRow) (map[string]audit.Change, error) {
		to := Change{
			ExpiresAt: in.ExpiresAt, LastsDays: in.LastsDays, NeverExpires: in.NeverExpires, Quota: in.Quota,
			NoQuota: in.NoQuota, Limits: in.Limits,
		}
		if in.Act == actReset {
			return row.reset(c.now()), nil
		}
		if in.Act == actExtend {
			if err := row.extended(in.ExtendDays, c.now(), &to); err != nil {
				return nil, err
			}
		}
		if in.Act == actTags {
			tags := retagged(row.Tags, in.AddTags, in.RemoveTags)
			to.Tags = &tags
		}
		if in.Act == actEnable || in.Act == actDisable {
			enabled := in.Act == actEnable
			to.Enabled = &enabled
		}
		return row.changed(to, c.now())
	})
}

// reset lets a client begin its quota anew.
func (r *clientRow) reset(now time.Time) map[string]audit.Change {
	before := r.UsedUp + r.UsedDown
	r.UsedSince, r.UsedUp, r.UsedDown, r.QuotaToldAt = now, 0, 0, nil
	return map[string]audit.Change{"used": {From: before, To: 0}}
}

// retagged takes tags off first, so that a tag in both lists stays.
func retagged(tags, add, remove []string) []string {
	off := tagsOf(remove)
	kept := slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return slices.Contains(off, strings.TrimSpace(tag))
	})
	return tagsOf(append(kept, add...))
}

// refused says in the words of the single route why a client did not take part. What nobody may see is in the log.
func (c *clients) refused(id string, err error) BulkResult {
	known, ok := fault.As(err)
	if !ok {
		c.log.Error("an act on many clients failed on one", zap.String("client", id), zap.Error(err))
		return BulkResult{ClientID: id, Code: "internal", Error: "the panel failed to do this; read its log"}
	}
	words := known.Detail
	for _, field := range known.Fields {
		words += "; " + field.Field + " " + field.Message
	}
	return BulkResult{ClientID: id, Code: known.Code, Error: words}
}
