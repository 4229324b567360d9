package proxypanel

import (
	"fmt"
	"strings"

	"panel/modules/proxypanel/internal/remnawave"
)

const scopesHead = `# Scopes of a token for a proxy panel

What an API token of Remnawave ` + "(`" + remnawave.Range + "`)" + ` must hold to be a connection of the panel. Those for reading are
a must; without one of the others the connection stays, is degraded, and names what is missing. Never give ` + "`keygen:*`" + `: it
opens the private key of every node.

| Scope | What for |
|---|---|
`

var uses = map[string]string{
	remnawave.Read:         "reading",
	remnawave.Abuse:        "acting on abuse: users are disabled, enabled, given new credentials, cut off",
	remnawave.Provisioning: "making and changing what serves flows",
}

// scopesPage lists the scopes that are asked for, as they are declared.
func scopesPage() string {
	var out strings.Builder
	out.WriteString(scopesHead)
	for _, one := range remnawave.Scopes() {
		fmt.Fprintf(&out, "| `%s` | %s |\n", one.Name, uses[one.Use])
	}
	return out.String()
}
