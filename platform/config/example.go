package config

import (
	"fmt"
	"strings"
)

// Example writes the keys as a commented environment file, ready to be edited.
func Example(keys []Key) string {
	var out strings.Builder
	out.WriteString("# Settings of the panel. Read once at start; a change needs a restart.\n")
	for _, key := range keys {
		out.WriteString(key.example())
	}
	return out.String()
}

func (k Key) example() string {
	about := k.Summary
	if k.Form != Text || k.Min > 0 || k.Max > 0 {
		about += "; " + k.Wanted()
	}
	if k.Secret {
		about += "; secret"
	}
	return fmt.Sprintf("\n# %s\n#%s=%s\n", about, k.Name, k.Default)
}
