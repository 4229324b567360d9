package names_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/database/dbtest"
	"panel/platform/names"
)

// Names that look alike in another case or composition have one key; a key is its own key.
func TestNamesOfOneAccountHaveOneKey(t *testing.T) {
	t.Parallel()
	for one, other := range map[string]string{
		"Anna": "aNNA", "Админ": "АДМИН", "Straße": "STRASSE", "ΟΔΥΣΣΕΥΣ": "οδυσσευς", "ÉMILIE": "e\u0301milie",
		"Ａｎｎａ": "anna",
	} {
		require.Equal(t, names.Key(one), names.Key(other))
		require.Equal(t, names.Key(one), names.Key(names.Key(one)))
	}
	require.NotEqual(t, names.Key("anna"), names.Key("boris"))
	require.NotEqual(t, names.Key("Kadıköy"), names.Key("Kadiköy"), "two accounts")
	require.Equal(t, "\u00e9", names.Composed("e\u0301"))
}

// alike are names as they are stored and as somebody may type them.
var alike = []struct{ stored, typed string }{
	{"Frankfurt-01", "fRANKfurt-01"},
	{"Москва, Ёлка", "МОСКВА, ЁЛКА"},
	{"МОСКВА, Е\u0308лка", "москва, ёлка"},
	{"Kadıköy", "KADIKÖY"},
	{"Kadıköy", "kadiko\u0308y"},
	{"İSTANBUL", "istanbul"},
	{"istanbul", "İstanbul"},
	{"Hauptstraße", "HAUPTSTRASSE"},
	{"HAUPTSTRASSE", "hauptstraße"},
	{"GROẞ", "groß"},
	{"Ångström Élan", "a\u030angstro\u0308m e\u0301lan"},
	{"A\u030angstro\u0308m E\u0301lan", "ångström élan"},
	{"\u212bngström", "ångström"}, // the sign for the unit
	{"ΟΔΥΣΣΕΥΣ", "οδυσσευς"},
	{`100% _a\b [c] (d|e) .*+?^${}`, `100% _A\B [C] (D|E) .*+?^${}`},
	{"*** (?i)x", "*** (?i)X"},
	{"Ａｎｎａ", "Ａｎｎａ"},
	{"東京", "東京"},
}

// different are names that must not be found by the other text.
var different = []struct{ stored, typed string }{
	{"Москва", "Минск"}, {"a.b", "axb"}, {"ab", "a*b"}, {"élan", "elan"}, {"50", "50%"}, {"x", "X{0}y"},
}

func TestNamesOfAnyScriptAreFoundInAnyCase(t *testing.T) {
	t.Parallel()
	for _, c := range alike {
		key := names.SearchKey(c.stored)
		require.Equal(t, key, names.SearchKey(c.typed), "%s by %s", c.stored, c.typed)
		require.Equal(t, key, names.SearchKey(key))
	}
	for _, c := range different {
		require.NotContains(t, names.SearchKey(c.stored), names.SearchKey(c.typed))
	}
}

// The database finds by the pattern what the search key finds, in the locale C, which folds ASCII alone.
func TestTheDatabaseFindsByThePattern(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), dbtest.Empty(t), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	matches := func(text, pattern string) (is bool) {
		t.Helper()
		require.NoError(t, db.NewRaw(`select ? collate "C" ~ ?`, text, pattern).Scan(t.Context(), &is), pattern)
		return is
	}
	for _, c := range alike {
		require.True(t, matches(c.stored, names.WholePattern(c.typed)), "%s by %s", c.stored, c.typed)
		require.True(t, matches("before "+c.stored+" after", names.Pattern(c.typed)), "%s by %s", c.stored, c.typed)
		require.False(t, matches(c.stored+" after", names.WholePattern(c.typed)), "%s by %s", c.stored, c.typed)
		require.True(t, matches(c.stored, names.WholePattern(c.stored)), c.stored)
	}
	for _, c := range different {
		require.False(t, matches(c.stored, names.Pattern(c.typed)), "%s by %s", c.stored, c.typed)
	}
	require.True(t, matches(strings.Repeat("ы", 200), names.WholePattern(strings.Repeat("Ы", 200))))
}

// Whatever is typed makes an expression that the database accepts.
func TestEveryTextMakesAPattern(t *testing.T) {
	t.Parallel()
	db, err := database.Open(t.Context(), dbtest.Empty(t), database.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, text := range []string{
		"", " ", "\n", `\`, `\d`, "[", "[[:alpha:]]", "{1,}", "(?=", "***:", "***=", "\u0301", "ss\u0301", "ſ", "ﬁ",
		"\U0001f600", "\ufeff", strings.Repeat("(", 200), strings.Repeat(`\`, 199),
	} {
		var found bool
		err := db.NewRaw(`select ? collate "C" ~ ?`, "before "+text, names.Pattern(text)).Scan(t.Context(), &found)
		require.NoError(t, err, "%q", text)
		require.True(t, found, "%q", text)
	}
}
