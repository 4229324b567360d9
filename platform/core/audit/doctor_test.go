package audit

import (
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/audit"
	"panel/platform/cli"
	"panel/platform/doctor"
)

// Doctor and the command line call nothing intact that is not proven; entries of an earlier version alone are no alarm.
func TestWhatIsNotProvenIsNotCalledIntact(t *testing.T) {
	t.Parallel()
	earlier := audit.Finding{Kind: audit.Unnumbered, Verdict: audit.Unproven, Seq: 1, LastSeq: 9}
	unmarked := audit.Finding{Kind: audit.Unmarked, Verdict: audit.Unproven, Seq: 10, LastSeq: 10}
	edited := audit.Finding{Kind: audit.Edited, Verdict: audit.Broken, Seq: 11, LastSeq: 11}
	for name, is := range map[string]struct {
		report audit.Report
		status doctor.Status
		found  string
		mood   cli.Mood
	}{
		"intact": {
			audit.Report{State: audit.Intact, Complete: true, Checked: 12},
			doctor.OK,
			"all entries are intact", cli.Good,
		},
		"cut short": {
			audit.Report{State: audit.Unproven, Checked: 12},
			doctor.OK,
			"the first %d entries are intact; panelctl audit verify proves all", cli.Careful,
		},
		"earlier": {
			audit.Report{State: audit.Unproven, Complete: true, Findings: []audit.Finding{earlier}},
			doctor.OK,
			"unproven up to entry %d, which an earlier version wrote; intact from there on", cli.Careful,
		},
		"unmarked": {
			audit.Report{State: audit.Unproven, Complete: true, Findings: []audit.Finding{earlier, unmarked}},
			doctor.Warning,
			"the journal is not proven: %d findings", cli.Careful,
		},
		"edited": {
			audit.Report{State: audit.Broken, Complete: true, Findings: []audit.Finding{unmarked, edited}},
			doctor.Failed,
			"the journal was changed: %d findings", cli.Bad,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			finding := findingOf(is.report)
			require.Equal(t, is.status, finding.Status)
			require.Equal(t, is.found, finding.Found.Format)
			require.Equal(t, is.report.State, finding.Data["state"])
			lines := fields(is.report)
			require.Equal(t, []any{"state", is.report.State, is.mood}, []any{
				lines[0].Key, lines[0].Value,
				lines[0].Mood,
			})
			require.Len(t, lines, 5+len(is.report.Findings))
		})
	}
}
