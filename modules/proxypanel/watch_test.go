package proxypanel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
	"panel/platform/doctor"
)

// Doctor warns of what does not work first, then of tokens that end, then of what is impaired, and names one of each.
func TestDoctorNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	now := time.Now()
	env := doctor.Env{Now: func() time.Time { return now }}
	soon, late := now.Add(24*time.Hour), now.AddDate(1, 0, 0)
	good := connectionRow{Label: "good", State: remnawave.StateOK, TokenExpiresAt: &late}
	ending := connectionRow{Label: "ending", State: "degraded", Cause: "token_expiring", TokenExpiresAt: &soon}
	impaired := connectionRow{Label: "impaired", State: "degraded", Cause: "nodes_down"}
	broken := connectionRow{Label: "broken", State: "gate", Cause: "gate_page"}
	for _, one := range []struct {
		rows    []connectionRow
		status  doctor.Status
		subject string
	}{
		{nil, doctor.Skipped, ""},
		{[]connectionRow{good}, doctor.OK, ""},
		{[]connectionRow{good, impaired}, doctor.Warning, "impaired"},
		{[]connectionRow{good, impaired, ending}, doctor.Warning, "ending"},
		{[]connectionRow{good, impaired, ending, broken}, doctor.Warning, "broken"},
	} {
		found := judge(one.rows, env)
		require.Equal(t, one.status, found.Status)
		require.Equal(t, one.subject, found.Subject)
	}
}

// Doctor warns of nodes that are gone, then of what differs, then of what does not stand.
func TestDoctorNamesWhatDoesNotStand(t *testing.T) {
	t.Parallel()
	for _, one := range []struct {
		offersState
		status  doctor.Status
		subject string
	}{
		{offersState{}, doctor.Skipped, ""},
		{offersState{Nodes: 2}, doctor.OK, ""},
		{offersState{Nodes: 2, Unsettled: 1}, doctor.Warning, ""},
		{offersState{Nodes: 2, Unsettled: 1, Drifted: 1, DriftName: "profile"}, doctor.Warning, "profile"},
		{offersState{Nodes: 2, Drifted: 1, DriftName: "profile", Gone: 1, GoneName: "ams"}, doctor.Warning, "ams"},
	} {
		found := one.finding()
		require.Equal(t, one.status, found.Status)
		require.Equal(t, one.subject, found.Subject)
	}
}
