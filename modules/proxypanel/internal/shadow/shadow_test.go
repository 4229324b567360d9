package shadow_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"panel/modules/clients"
	"panel/modules/domains"
	"panel/modules/flows"
	"panel/modules/nodes"
	"panel/modules/proxypanel"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/platform/database"
	"panel/platform/paneltest"
)

// bench is a shadow of one connection, whose panel nobody asks.
type bench struct {
	t  *testing.T
	db *database.DB
	*shadow.Shadow
	id string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	p := paneltest.New(t, nodes.Module(), domains.Module(), clients.Module(), flows.Module(), proxypanel.Module())
	b := &bench{t, p.DB, shadow.New(p.DB), ""}
	b.id = b.connect("main")
	return b
}

func (b *bench) connect(label string) (id string) {
	b.t.Helper()
	id = database.NewID()
	_, err := b.db.NewRaw(`insert into proxypanel_connections (id, label, base_url, direct, sealed, has_extra_headers,
		has_cookie, has_ca, has_client_certificate, state, cause, detail, missing_scopes, version, created_at, updated_at,
		revision) values (?, ?, 'https://' || ?, false, '', false, false, false, false, 'ok', '', '', '[]', '3.3.2', now(),
		now(), 1)`, id, label, label).Exec(b.t.Context())
	require.NoError(b.t, err)
	return id
}

func (b *bench) now() time.Time {
	b.t.Helper()
	now, err := b.Now(b.t.Context())
	require.NoError(b.t, err)
	return now
}

func (b *bench) put(kind string, all ...remnawave.Listed) shadow.Changes {
	b.t.Helper()
	done, err := b.PutObjects(b.t.Context(), b.id, kind, all, b.now())
	require.NoError(b.t, err)
	return done
}

func (b *bench) objects(kind string) (names []string) {
	b.t.Helper()
	all, err := b.Objects(b.t.Context(), b.id, kind)
	require.NoError(b.t, err)
	for _, one := range all {
		names = append(names, one.Name)
	}
	return names
}

// versions are the transactions that wrote each row last, to see which were touched.
func (b *bench) versions(table string) (all map[string]string) {
	b.t.Helper()
	var rows []struct{ Key, Version string }
	require.NoError(b.t, b.db.NewRaw("select ctid::text as key, xmin::text || '/' || xmax::text as version from ?",
		bun.Ident(table)).Scan(b.t.Context(), &rows))
	all = map[string]string{}
	for _, row := range rows {
		all[row.Key] = row.Version
	}
	return all
}

func host(id, name string, disabled bool) remnawave.Listed {
	return remnawave.Listed{ID: id, Name: name, Fields: remnawave.HostFields{
		Address: "a.example.com", Port: 443, Disabled: disabled, Nodes: []string{}, Tags: []string{},
	}}
}

func user(id int64, name string) remnawave.User {
	made := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	return remnawave.User{ID: id, Username: name, Status: "ACTIVE", MadeAt: &made, Squads: []string{}}
}

// What is new is added, what differs is changed, what is not there any more is gone and comes back as itself.
func TestObjectsFollowTheList(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, other := uuid.NewString(), uuid.NewString()
	require.Equal(t, shadow.Changes{Added: 2}, b.put("host", host(one, "a", false), host(other, "b", false)))
	require.Equal(t, shadow.Changes{}, b.put("host", host(one, "a", false), host(other, "b", false)))
	require.Equal(t, shadow.Changes{Changed: 1, Gone: 1}, b.put("host", host(one, "a", true)))
	require.Equal(t, []string{"a"}, b.objects("host"))
	gone, err := b.Object(t.Context(), b.id, "host", other)
	require.NoError(t, err)
	require.NotNil(t, gone.GoneAt)
	require.Equal(t, shadow.Changes{Changed: 1}, b.put("host", host(one, "a", true), host(other, "b", false)))
	require.Equal(t, []string{"a", "b"}, b.objects("host"))
	var fields remnawave.HostFields
	back, err := b.Object(t.Context(), b.id, "host", one)
	require.NoError(t, err)
	require.NoError(t, back.Into(&fields))
	require.True(t, fields.Disabled)
}

// Kinds and connections are apart: an empty list of one says nothing about another.
func TestAnEmptyListEmptiesOneKindOfOneConnection(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := uuid.NewString()
	b.put("host", host(id, "a", false))
	b.put("node", remnawave.Listed{ID: id, Name: "n", Fields: remnawave.NodeFields{}})
	first := b.id
	b.id = b.connect("other")
	b.put("host", host(id, "a", false))
	require.Equal(t, shadow.Changes{Gone: 1}, b.put("host"))
	b.id = first
	require.Equal(t, []string{"a"}, b.objects("host"))
	require.Equal(t, []string{"n"}, b.objects("node"))
}

// A row whose object has not changed is not written, and not locked either.
func TestWhatHasNotChangedIsNotTouched(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, other := uuid.NewString(), uuid.NewString()
	b.put("host", host(one, "a", false), host(other, "b", false))
	users := []remnawave.User{user(1, "anna"), user(2, "bert"), user(3, "carl")}
	_, err := b.PutUsers(t.Context(), b.id, users)
	require.NoError(t, err)
	hosts, before := b.versions("proxypanel_objects"), b.versions("proxypanel_users")

	b.put("host", host(one, "a", false), host(other, "b", false))
	users[1].Status = "DISABLED"
	done, err := b.PutUsers(t.Context(), b.id, users)
	require.NoError(t, err)
	require.Equal(t, shadow.Changes{Changed: 1}, done)
	gone, err := b.Lost(t.Context(), b.id, []int64{1, 2, 3}, b.now())
	require.NoError(t, err)
	require.Zero(t, gone)

	require.Equal(t, hosts, b.versions("proxypanel_objects"))
	after, same := b.versions("proxypanel_users"), 0
	for key, version := range before {
		if after[key] == version {
			same++
		}
	}
	require.Equal(t, 2, same)
	require.Len(t, after, 3)
}

// What another writer has seen since the panel was asked is newer than the answer: it is not gone.
func TestAnAnswerDoesNotOverruleWhatWasSeenLater(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	asked, id := b.now(), uuid.NewString()
	_, err := b.PutObject(t.Context(), b.id, "host", host(id, "a", false))
	require.NoError(t, err)
	done, err := b.PutObjects(t.Context(), b.id, "host", nil, asked)
	require.NoError(t, err)
	require.Zero(t, done.Gone)
	_, err = b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna")})
	require.NoError(t, err)
	gone, err := b.Lost(t.Context(), b.id, nil, asked)
	require.NoError(t, err)
	require.Zero(t, gone)
	gone, err = b.Lost(t.Context(), b.id, nil, b.now())
	require.NoError(t, err)
	require.Equal(t, 1, gone)
}

// A username that was given again belongs to two users, of whom one is gone; an id that was given again is the new
// user's.
func TestNamesAndIdsThatAreGivenAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna"), user(2, "bert")})
	require.NoError(t, err)
	again := user(2, "carl")
	made := again.MadeAt.AddDate(0, 1, 0)
	again.MadeAt = &made
	_, err = b.PutUsers(t.Context(), b.id, []remnawave.User{user(3, "anna"), again})
	require.NoError(t, err)
	_, err = b.Lost(t.Context(), b.id, []int64{2, 3}, b.now())
	require.NoError(t, err)
	users, err := b.Users(t.Context(), b.id, 1, 2, 3)
	require.NoError(t, err)
	require.Len(t, users, 3)
	require.NotNil(t, users[0].GoneAt)
	require.Equal(t, "carl", users[1].Username)
	require.Equal(t, made, *users[1].MadeAt)
	require.Equal(t, "anna", users[2].Username)
	require.Nil(t, users[2].GoneAt)
}

// One that the panel says it does not have is gone, and one that is read again is there.
func TestOneIsForgottenAndComesBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	id := uuid.NewString()
	b.put("node", remnawave.Listed{ID: id, Name: "n", Fields: remnawave.NodeFields{}})
	_, err := b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna")})
	require.NoError(t, err)
	require.NoError(t, b.Forget(t.Context(), b.id, "node", id))
	require.NoError(t, b.ForgetUser(t.Context(), b.id, 1))
	require.Empty(t, b.objects("node"))
	users, err := b.Users(t.Context(), b.id, 1)
	require.NoError(t, err)
	require.NotNil(t, users[0].GoneAt)
	done, err := b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna")})
	require.NoError(t, err)
	require.Equal(t, shadow.Changes{Changed: 1}, done)
}

// Nothing is left of a connection that was removed, and nothing can be added to it.
func TestARemovedConnectionTakesItsShadowAlong(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("host", host(uuid.NewString(), "a", false))
	_, err := b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna")})
	require.NoError(t, err)
	_, err = b.db.NewRaw("delete from proxypanel_connections where id = ?", b.id).Exec(t.Context())
	require.NoError(t, err)
	for _, table := range []string{"proxypanel_objects", "proxypanel_users"} {
		require.Empty(t, b.versions(table))
	}
	_, err = b.PutUsers(t.Context(), b.id, []remnawave.User{user(1, "anna")})
	require.Error(t, err)
}

// No column could hold a credential, and no field is named like one.
func TestNothingOfTheShadowIsACredential(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var columns []string
	require.NoError(t, b.db.NewRaw(`select column_name from information_schema.columns
		where table_name in ('proxypanel_objects', 'proxypanel_users')`).Scan(t.Context(), &columns))
	shape := fmt.Sprintf("%v %+v %+v %+v %+v %+v", columns, remnawave.NodeFields{}, remnawave.ProfileFields{},
		remnawave.InboundFields{}, remnawave.HostFields{}, remnawave.SquadFields{})
	require.NotRegexp(t, `(?i)password|vless|trojan|short|subscription|secret|token|config |raw|key|email|telegram`, shape)
}

// Users are taken over part by part; those that stand there as they were read are left alone, and who is not met is
// gone.
func TestManyUsersAreTakenOverPartByPart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const parts, size = 5, 1000
	var seen []int64
	began := b.now()
	for part := range parts {
		users := make([]remnawave.User, size)
		for i := range users {
			id := int64(part*size + i + 1)
			users[i], seen = user(id, fmt.Sprint("user_", id)), append(seen, id)
		}
		done, err := b.PutUsers(t.Context(), b.id, users)
		require.NoError(t, err)
		require.Equal(t, size, done.Added)
		users[0].Username += "_anew"
		done, err = b.PutUsers(t.Context(), b.id, users)
		require.NoError(t, err)
		require.Equal(t, shadow.Changes{Changed: 1}, done)
	}
	gone, err := b.Lost(t.Context(), b.id, seen[1:], began.Add(time.Hour))
	require.NoError(t, err)
	require.Equal(t, 1, gone)
}
