package pgtools

import (
	"errors"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"panel/platform/database"
	"panel/platform/pattern"
)

// libpqWords are what PostgreSQL's own programs take of an address; the panel's driver takes more.
var libpqWords = []string{
	"host", "hostaddr", "port", "user", "dbname", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslsni",
	"sslnegotiation",
	"channel_binding", "require_auth", "target_session_attrs", "options", "krbsrvname", "gssencmode",
}

var wordOf = pattern.Of(`(\w+)\s*=\s*('(?:\\.|[^'\\])*'|\S*)`)

// ownHandles are where a private database in a deep folder is found by this process; another one must be told whose
// handle it is.
const ownHandles = "/proc/self/fd/"

var errAddress = errors.New("PANEL_DB_URL cannot be read")

// Address takes the password out of an address and puts it into the environment of a program: an argument list is
// readable to everybody on the machine.
func Address(dsn string) (address string, environ []string, err error) {
	read, err := database.ParseAddress(dsn)
	if err != nil {
		return "", nil, errAddress
	}
	environ = bare(map[string]string{
		"PGPASSWORD": read.Password, "PGPASSFILE": os.DevNull,
		"PGCONNECT_TIMEOUT": "10",
	})
	if !isURL(dsn) {
		return wordsOnly(dsn), environ, nil
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		return "", nil, errAddress
	}
	query := parsed.Query()
	for name := range query {
		if !slices.Contains(libpqWords, name) {
			query.Del(name)
		}
	}
	if handle, is := strings.CutPrefix(query.Get("host"), ownHandles); is {
		query.Set("host", "/proc/"+strconv.Itoa(os.Getpid())+"/fd/"+handle)
	}
	parsed.RawQuery = encoded(query)
	if parsed.User != nil {
		parsed.User = url.User(parsed.User.Username())
	}
	return parsed.String(), environ, nil
}

// Elsewhere is the address of another database of the same server.
func Elsewhere(dsn, name string) (string, error) {
	if _, err := database.ParseAddress(dsn); err != nil {
		return "", errAddress
	}
	if !isURL(dsn) {
		return dsn + " dbname=" + name, nil // what comes later in such an address counts
	}
	parsed, err := url.Parse(dsn)
	if err != nil {
		return "", errAddress
	}
	query := parsed.Query()
	query.Del("dbname")
	parsed.Path, parsed.RawQuery = "/"+name, encoded(query)
	return parsed.String(), nil
}

// encoded writes a space as these programs read it: a plus is a plus to them.
func encoded(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

func isURL(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

func wordsOnly(dsn string) string {
	var kept []string
	for _, word := range wordOf().FindAllStringSubmatch(dsn, -1) {
		if slices.Contains(libpqWords, word[1]) {
			kept = append(kept, word[1]+"="+word[2])
		}
	}
	return strings.Join(kept, " ")
}

// bare is the environment of the programs: nothing of the panel's own, whose variables hold secrets.
func bare(values map[string]string) []string {
	all := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
		"LC_ALL=C.UTF-8",
	}
	for name, value := range values {
		all = append(all, name+"="+value)
	}
	return all
}
