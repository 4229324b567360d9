package tui

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// talk answers the questions of the linear mode and gives everything that was printed.
func talk(t *testing.T, vars settings, answers ...string) string {
	t.Helper()
	w := stillSession(t, vars)
	var out bytes.Buffer
	w.env.Out, w.env.Err, w.env.In = &out, &out, strings.NewReader(strings.Join(answers, "\n")+"\n")
	require.NoError(t, newLines(w).run(t.Context()))
	return out.String()
}

// Rule: the linear mode moves no cursor, needs no Unicode and does the same as the screens.
func TestLinearMode(t *testing.T) {
	t.Parallel()
	said := talk(t, settings{"PANEL_LANG": "en", "LANG": "C"}, "2", "4", "2", "1", "2", "4", "nonsense", "7", "0")
	require.NotContains(t, said, "\x1b")
	for _, r := range said[:strings.Index(said, "Russian or English\n8. Sign in\n0. leave\nNumber: \n")] {
		require.Less(t, r, rune(0x80))
	}
	for _, text := range []string{
		"There is no diagnosis yet.", "1 Failed, 1 Warning",
		"Failed. data folder. 97 % of 40 GB used, 1.2 GB free. free space, or move PANEL_DATA_DIR",
		"saved to ", `There is no "nonsense" here.`, "Состояние панели",
	} {
		require.Contains(t, said, text)
	}
}

func TestLinearLicense(t *testing.T) {
	t.Parallel()
	panel := newFakePanel(t)
	vars := panel.vars()
	vars["PANEL_LANG"] = "en"
	said := talk(t, vars, "4", "1", "4", "2", "PNL-1", "0")
	require.Contains(t, said, "grace")
	require.True(t, panel.did("/api/v1/license/activate PNL-1"))
}

// Rule: who has no token signs in here too, is told what was wrong, and leaves no session behind.
func TestLinearSignIn(t *testing.T) {
	t.Parallel()
	panel := newFakePanel(t)
	vars := settings{"PANEL_API_URL": panel.URL, "PANEL_LANG": "en"}
	said := talk(
		t,
		vars,
		"8",
		"anna",
		"wr0ng",
		"8",
		"anna",
		"right",
		"000000",
		"8",
		"anna",
		"right",
		"123456",
		"4",
		"1",
		"0",
	)
	for _, text := range []string{
		"the username or the password is wrong", "the code is wrong or too late",
		"signed in until you leave", "grace",
	} {
		require.Contains(t, said, text)
	}
	require.True(t, panel.did("/api/v1/auth/logout "))
}

// An input that ends, or a signal, ends the conversation.
func TestLinearModeEnds(t *testing.T) {
	t.Parallel()
	require.Contains(t, talk(t, nil), "Menu")
	w := stillSession(t, nil)
	var out bytes.Buffer
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, errors.Join(writer.Close(), reader.Close())) })
	w.env.Out, w.env.In = &out, reader
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newLines(w).run(ctx), context.Canceled)
}
