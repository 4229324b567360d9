package config

import (
	"os"
	"strings"
)

// Isolate removes the variables by which libraries and programs of PostgreSQL would configure the panel: PGHOST,
// PGPASSWORD and all others that begin with PG. It is called once, at the start of the process, before anything reads
// an address.
func Isolate() {
	for _, name := range Names() {
		if strings.HasPrefix(name, "PG") {
			_ = os.Unsetenv(name) // fails for no name that the environment has
		}
	}
}
