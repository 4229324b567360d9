package words_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/internal/words"
)

var (
	said  = regexp.MustCompile(`(?:say|skip|Say)\("([a-z_]+)"`)
	codes = regexp.MustCompile(`(?:enter\(row, phase[A-Za-z]+|enter\(row, phase), "([a-z_]+)"`)
	ended = regexp.MustCompile(`\{"flow\.[a-z_]+", "([a-z_]+)"\}`)
)

// used lists the codes that applies say.
func used(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, file := range []string{
		"api", "apply", "followups", "participants", "phases", "plans", "propose", "runner",
		"steps",
	} {
		raw, err := os.ReadFile("../../" + file + ".go")
		require.NoError(t, err)
		for _, form := range []*regexp.Regexp{said, codes, ended} {
			for _, found := range form.FindAllStringSubmatch(string(raw), -1) {
				out[found[1]] = file
			}
		}
	}
	require.Greater(t, len(out), 25)
	return out
}

// Every code that an apply says has its sentence, so that no step and no log line is empty.
func TestEveryCodeHasASentence(t *testing.T) {
	t.Parallel()
	elsewhere := map[string]bool{"agent_offline": true, "port_conflict": true} // said with their own sentence
	for code, file := range used(t) {
		if text := words.Say(code); !elsewhere[code] {
			require.NotEmpty(t, text.Text, "%s in %s.go", code, file)
			require.Equal(t, code, text.Code)
		}
	}
}

// Params fill the names in braces and are told beside the sentence, for screens in another language.
func TestASentenceIsFilledByItsParams(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   string
		params []string
		want   string
	}{
		{"switched", []string{"ms", "12"}, "switched in 12 ms"},
		{
			"got_through",
			[]string{"ms", "7", "exit_ip", "192.0.2.1"},
			"a client got through in 7 ms; the exit address is 192.0.2.1",
		},
		{
			"failed",
			[]string{"reason", "the core refuses {it}"},
			"failed: the core refuses {it}; the installed version keeps running",
		},
		{"stage_running", []string{"stage", "cdn.provision"}, "cdn.provision is at work"},
		{"applied", nil, "installed on every node"},
		{"applied", []string{"odd"}, "installed on every node"},
	} {
		text := words.Say(c.code, c.params...)
		require.Equal(t, c.want, text.Text)
		require.Len(t, text.Params, len(c.params)/2)
		for i := 0; i+1 < len(c.params); i += 2 {
			require.Equal(t, c.params[i+1], text.Params[c.params[i]])
		}
	}
}
