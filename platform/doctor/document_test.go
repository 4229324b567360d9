package doctor

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// schema is the part of the written schema that says which members there are.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Items      *schema           `json:"items"`
}

// The written schema lists the members of the document, and those that are always there.
func TestTheWrittenSchemaIsTheDocuments(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/reference/doctor.schema.json")
	require.NoError(t, err)
	var written schema
	require.NoError(t, json.Unmarshal(content, &written))
	sameMembers(t, written, reflect.TypeFor[Document]())
	sameMembers(t, *written.Properties["checks"].Items, reflect.TypeFor[CheckDocument]())
	sameMembers(t, written.Properties["changes"], reflect.TypeFor[Changes]())
	sameMembers(t, *written.Properties["changes"].Properties["statuses"].Items, reflect.TypeFor[Change]())
	summary := Report{}.Summary()
	require.Len(t, written.Properties["summary"].Properties, len(summary))
}

func sameMembers(t *testing.T, written schema, of reflect.Type) {
	t.Helper()
	var always []string
	for i := range of.NumField() {
		name, options, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		require.Contains(t, written.Properties, name)
		if options == "" {
			always = append(always, name)
		}
	}
	require.Len(t, written.Properties, of.NumField())
	require.ElementsMatch(t, always, written.Required)
}

func TestTheLastDiagnosisIsKeptAndCompared(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	_, err := Last(data)
	require.ErrorIs(t, err, fs.ErrNotExist)
	report := func(status Status) Report {
		return Report{Started: time.Now(), Results: []Result{{
			Check:   Check{ID: "disk.data"},
			Finding: Finding{Status: status},
		}}}
	}
	path, err := Keep(report(OK).Document(), data)
	require.NoError(t, err)
	about, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), about.Mode().Perm())
	before, err := Last(data)
	require.NoError(t, err)
	later := report(Failed)
	later.Compare(before)
	require.Equal(t, []Change{{ID: "disk.data", From: OK, To: Failed}}, later.Changes.Statuses)
	_, err = Keep(later.Document(), filepath.Join(data, "absent"))
	require.Error(t, err, "a data folder that does not exist is not made")
}

func TestDecimalsSayNoMoreThanNeeded(t *testing.T) {
	t.Parallel()
	require.Equal(t, "40", Decimal(40).String())
	require.Equal(t, "1.2", Decimal(1.2).String())
	require.Equal(t, "97 % of 40 GB", Say("%d %% of %s", 97, Say("%s GB", Decimal(40))).String())
	require.Equal(t, "chmod 640 /etc/x", Command("chmod 640 %s", "/etc/x").String())
}

// Root keeps its diagnosis in a folder of the panel's user, who might put a link there.
func TestKeepingADiagnosisFollowsNoLinkOutOfTheDataFolder(t *testing.T) {
	t.Parallel()
	data, victim := t.TempDir(), t.TempDir()
	require.NoError(t, os.Symlink(victim, filepath.Join(data, "doctor")))
	_, err := Keep(Report{Started: time.Now()}.Document(), data)
	require.ErrorContains(t, err, "keep the diagnosis")
	entries, err := os.ReadDir(victim)
	require.NoError(t, err)
	require.Empty(t, entries)
}
