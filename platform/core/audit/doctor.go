package audit

import (
	"context"
	"slices"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"

	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// lookWithin leaves room below the time that a check may take; a longer journal is proved from its beginning that far.
const lookWithin = doctor.Limit / 2

// proven asks whether the journal is what the panels wrote. It reads only.
func proven(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	values := map[string]string{config.DataDir.Name: checks.DataDir(env)}
	for _, key := range []config.Key{config.SecretKey, config.SecretKeyPrevious} {
		if given := env.Getenv(key.Name); given != "" {
			values[key.Name] = given
		}
	}
	cfg, err := config.Of(values)
	if err != nil {
		return skipped()
	}
	store, err := audit.New(db, clockwork.NewRealClock(), zap.NewNop(), cfg)
	if err != nil {
		return skipped()
	}
	report, err := store.Look(ctx, lookWithin)
	if err != nil {
		return skipped()
	}
	return findingOf(report)
}

func skipped() doctor.Finding {
	return doctor.Finding{
		Status: doctor.Skipped,
		Found:  doctor.Say("the journal cannot be read with the settings of this user"),
	}
}

func findingOf(r audit.Report) doctor.Finding {
	found := doctor.Finding{Data: map[string]any{
		"state": r.State, "checked": r.Checked, "findings": len(r.Findings),
		"continued": len(r.Continued),
	}}
	act := doctor.Say("panelctl audit verify names each place")
	switch {
	case r.State == audit.Broken:
		found.Status, found.Found, found.Do = doctor.Failed, doctor.Say("the journal was changed: %d findings",
			len(r.Findings)), act
	case !earlierOnly(r):
		found.Status, found.Found, found.Do = doctor.Warning, doctor.Say("the journal is not proven: %d findings",
			len(r.Findings)), act
	case !r.Complete:
		found.Status, found.Found = doctor.OK,
			doctor.Say("the first %d entries are intact; panelctl audit verify proves all", r.Checked)
	case r.State == audit.Unproven:
		found.Status, found.Found = doctor.OK,
			doctor.Say("unproven up to entry %d, which an earlier version wrote; intact from there on",
				r.Findings[0].LastSeq)
	case len(r.Continued) > 0:
		found.Status, found.Found = doctor.OK, doctor.Say("all entries are intact; continued after a restore at entry %d",
			r.Continued[len(r.Continued)-1].After)
	default:
		found.Status, found.Found = doctor.OK, doctor.Say("all entries are intact")
	}
	return found
}

// earlierOnly tells whether nothing but entries of an earlier version keeps the journal from being intact: they are no
// sign that somebody did something.
func earlierOnly(r audit.Report) bool {
	return !slices.ContainsFunc(r.Findings, func(f audit.Finding) bool { return f.Kind != audit.Unnumbered })
}
