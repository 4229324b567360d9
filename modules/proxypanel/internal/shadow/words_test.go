package shadow

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/proxypanel/internal/remnawave"
)

// What people look for is a text and no pattern.
func TestASearchIsNoPattern(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"anna": "%anna%", "100%": `%100\%%`, "a_b": `%a\_b%`, `a\b`: `%a\\b%`, `\%`: `%\\\%%`, "": "%%",
	} {
		require.Equal(t, want, contains(text))
	}
	require.Equal(t, "u.gone_at is null", Filter{}.present("u"))
	require.Equal(t, "o.gone_at is not null", Filter{Gone: true}.present("o"))
}

func TestAnIdOfAUserIsAPositiveNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"7": 7, "9223372036854775807": 9223372036854775807, "0": 0, "-7": 0, "": 0, "7.5": 0, "seven": 0, " 7": 0, "0x7": 0,
		"9223372036854775808": 0,
	} {
		id, known := UserID(text)
		require.Equal(t, want > 0, known, text)
		if known {
			require.Equal(t, want, id)
		}
	}
}

// What is compared is what was read, part by part: no two lists of parts have one sum.
func TestASumFollowsItsParts(t *testing.T) {
	t.Parallel()
	one := sum([]byte("ab"), []byte("c"))
	require.Len(t, one, 16)
	require.Equal(t, one, sum([]byte("ab"), []byte("c")))
	for _, parts := range [][]string{{"a", "bc"}, {"abc"}, {"ab", "c", ""}, {"", "ab", "c"}, {"ab", "C"}, {"2:ab", "c"}} {
		raw := [][]byte{}
		for _, part := range parts {
			raw = append(raw, []byte(part))
		}
		require.NotEqual(t, one, sum(raw...), parts)
	}
	at := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	user := remnawave.User{ID: 7, Username: "anna", Status: "ACTIVE", Squads: []string{"s"}, MadeAt: &at}
	was, err := incoming(&user)
	require.NoError(t, err)
	require.Nil(t, was.LastNodeID, "no id is none")
	for name, change := range map[string]func(u *remnawave.User){
		"status": func(u *remnawave.User) { u.Status = "DISABLED" }, "traffic": func(u *remnawave.User) { u.TrafficUsed++ },
		"squads": func(u *remnawave.User) { u.Squads = nil }, "end": func(u *remnawave.User) { u.ExpiresAt = &at },
		"node": func(u *remnawave.User) { u.LastNodeID = "n" }, "name": func(u *remnawave.User) { u.Username = "Anna" },
	} {
		other := user
		change(&other)
		now, err := incoming(&other)
		require.NoError(t, err)
		require.NotEqual(t, was.Hash, now.Hash, name)
	}
}

func TestChangesAddUp(t *testing.T) {
	t.Parallel()
	require.False(t, Changes{}.Any())
	require.True(t, Changes{Gone: 1}.Any())
	require.Equal(t, Changes{Added: 3, Changed: 5, Gone: 7}, Changes{1, 2, 3}.Add(Changes{2, 3, 4}))
	var fields remnawave.NodeFields
	object := Object{Kind: remnawave.KindNode, ExternalID: "x", Fields: json.RawMessage(`{"address":"192.0.2.1","strange":7}`)}
	require.NoError(t, object.Into(&fields))
	require.Equal(t, "192.0.2.1", fields.Address)
	object.Fields = json.RawMessage(`[]`)
	require.ErrorContains(t, object.Into(&fields), "the node x")
}
