package policies

import (
	"context"
	"fmt"
	"slices"

	"panel/modules/flows/flowsapi"
	"panel/modules/policies/internal/rules"
)

// source answers the compilations of flows. It is flowsapi.PolicySource.
type source struct{ *policies }

// Catalogue gives the sets of a version of the catalogue.
func (s source) Catalogue(ctx context.Context, version int) (flowsapi.Catalogue, error) {
	row, _, err := s.store.catalogue(ctx, version)
	return flowsapi.Catalogue{Version: row.Version, Sets: row.Content.sets()}, err
}

// Plans gives versions of custom plans with their passwords.
func (s source) Plans(ctx context.Context, versionIDs []string) ([]flowsapi.CustomPlan, error) {
	rows, err := s.store.versions(ctx, "id", valid(versionIDs)...)
	if err != nil {
		return nil, err
	}
	out := make([]flowsapi.CustomPlan, len(rows))
	for i, row := range rows {
		password, err := s.password(row)
		if err != nil {
			return nil, err
		}
		out[i] = row.outside(password)
	}
	return out, nil
}

// Judge says what of a drawing the policies of its flow forbid.
func (s source) Judge(ctx context.Context, d flowsapi.Drawn) ([]flowsapi.Violation, error) {
	rows, err := s.store.of(ctx, d.FlowID)
	if err != nil {
		return nil, err
	}
	catalogue, err := s.judged(ctx, rows)
	if err != nil {
		return nil, err
	}
	var out []flowsapi.Violation
	for _, row := range rows {
		policy := rules.Policy{Name: row.Name, Rules: row.Rules, Protocols: row.Protocols}
		found, err := rules.Judge(ctx, policy, catalogue, d)
		if err != nil {
			return nil, fmt.Errorf("judge a flow by the policy %s: %w", row.ID, err)
		}
		out = append(out, found...)
	}
	disabled, err := s.disabled(ctx, rows, d)
	return append(out, disabled...), err
}

// judged is the newest catalogue, where a rule speaks of it.
func (s source) judged(ctx context.Context, rows []policyRow) (rules.Catalogue, error) {
	speaks := func(r rules.Rule) bool { return r.Type == rules.Presets || r.Type == rules.GeoTokens }
	if !slices.ContainsFunc(rows, func(p policyRow) bool { return slices.ContainsFunc(p.Rules, speaks) }) {
		return rules.Catalogue{}, nil
	}
	row, _, err := s.store.catalogue(ctx, 0)
	out := rules.Catalogue{GeoTokens: row.Content.GeoTokens}
	for _, p := range row.Content.Presets {
		out.Presets = append(out.Presets, rules.Preset{
			Name: p.Name, Protocol: p.Protocol, Transport: p.Transport, Security: p.Security, Flow: p.Flow,
		})
	}
	return out, err
}

// disabled finds the blocks whose custom plan no policy of the flow enables.
func (s source) disabled(
	ctx context.Context, rows []policyRow, d flowsapi.Drawn,
) (out []flowsapi.Violation, err error) {
	var asked []string
	for _, b := range d.Blocks {
		if b.PlanVersionID != "" {
			asked = append(asked, b.PlanVersionID)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	enabled, err := s.store.enabledIn(ctx, valid(asked)...)
	if err != nil {
		return nil, err
	}
	mine := func(p NamedPolicy) bool {
		return slices.ContainsFunc(rows, func(row policyRow) bool { return row.ID == p.ID })
	}
	for _, b := range d.Blocks {
		if b.PlanVersionID != "" && !slices.ContainsFunc(enabled[b.PlanVersionID], mine) {
			out = append(out, flowsapi.Violation{
				Code: flowsapi.PlanNotEnabled, Path: b.Path + ".plan_version_id", Rule: rules.EnabledPlans,
				Message: "no policy of this flow enables this version of the custom plan",
			})
		}
	}
	return out, nil
}
