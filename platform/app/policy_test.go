package app_test

import (
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/access"
	"panel/platform/httpapi"
)

// policy is one reviewed line of testdata/policy.csv: what an operation must demand. It is kept by hand and not derived
// from the code, so that a route whose declaration is wrong or missing fails here.
type policy struct {
	method, path, access string
	keys                 []string // one of them, but what stands behind a plus is needed besides
	also                 []string
	feature              string
	whileDegraded        bool // with a reason of testdata/read_only.csv
	hidden               bool
	lenient              bool
	signedIn             bool // closed to API tokens; testdata/signed_in.txt
}

func policies(t testing.TB) map[string]policy {
	t.Helper()
	signedIn := listed(t, "testdata/signed_in.txt")
	all, reasons := map[string]policy{}, map[string]bool{"no": true}
	for _, row := range reviewed(t, "testdata/read_only.csv") {
		reasons[row[0]] = true
	}
	for _, row := range reviewed(t, "testdata/policy.csv") {
		require.True(t, reasons[row[5]], "%s %s: the reason %s is not in testdata/read_only.csv", row[0], row[1],
			row[5])
		line := policy{
			method: row[0], path: row[1], access: row[2], feature: row[4],
			whileDegraded: row[5] != "no", hidden: row[6] == "yes",
			lenient: row[7] == "yes", signedIn: slices.Contains(signedIn, row[0]+" "+row[1]),
		}
		line.keys, line.also = keysIn(row[3])
		require.NotContains(t, all, line.method+" "+line.path, "two lines for one operation")
		all[line.method+" "+line.path] = line
	}
	for _, name := range signedIn {
		require.Equal(t, "session", all[name].access,
			"%s of testdata/signed_in.txt is no operation that a session opens", name)
	}
	return all
}

// keysIn reads "a b" as one of both, and "a +b" as both.
func keysIn(column string) (keys, also []string) {
	for _, word := range strings.Fields(column) {
		if key, needed := strings.CutPrefix(word, "+"); needed {
			also = append(also, key)
			continue
		}
		keys = append(keys, word)
	}
	return keys, also
}

// listed are the lines of a reviewed list.
func listed(t testing.TB, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// reviewed are the lines of a file without its heading.
func reviewed(t testing.TB, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	rows, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

var accessWords = map[access.Kind]string{
	access.KindPublic: "public", access.KindThrottled: "throttled", access.KindAgent: "agent",
	access.KindSetup:   "setup",
	access.KindSession: "session",
}

// declared puts an operation's declaration into the words of the policy.
func declared(op httpapi.Operation) policy {
	word := accessWords[op.Rule.Kind]
	if op.Rule.First {
		word = "first"
	}
	if op.Rule.Signed {
		word = "setup-session"
	}
	keys := []string{}
	for _, key := range op.Rule.Keys {
		keys = append(keys, string(key))
	}
	var also []string
	for _, key := range op.Rule.Also {
		also = append(also, string(key))
	}
	return policy{
		method: op.Method, path: op.Path, access: word, keys: keys, also: also, feature: op.Feature,
		whileDegraded: op.WhileDegraded, hidden: op.Hidden, lenient: op.Lenient,
		signedIn: op.SignedIn,
	}
}

// Every operation declares its access, and declares what the reviewed policy demands (domain decision 9).
func TestEveryOperationDeclaresWhatThePolicyDemands(t *testing.T) {
	t.Parallel()
	wanted := policies(t)
	for _, op := range everything(t).App.Server().Routes() {
		name := op.Method + " " + op.Path
		line, reviewed := wanted[name]
		if !reviewed {
			t.Errorf("%s has no line in testdata/policy.csv: decide who may call it and write it down", name)
			continue
		}
		if line.keys == nil {
			line.keys = []string{}
		}
		require.Equal(t, line, declared(op), name)
		delete(wanted, name)
	}
	require.Empty(t, wanted, "the policy names operations that do not exist")
}
