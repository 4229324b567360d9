package audit_test

import "testing"

// The journal is trimmed by a schedule, once for all panels.
func TestTheJournalIsTrimmedByASchedule(t *testing.T) {
	t.Parallel()
	newPanel(t).RunSchedule("audit.trim")
}
