package cdndns

import (
	"fmt"
	"slices"
	"strings"

	"panel/modules/cdn-dns/internal/cdn"
	"panel/modules/cdn-dns/internal/provider"
)

const servicesHead = `# DNS services and CDNs

What an integration with each service asks for: the screen Domains & CDN shows these fields, and
` + "`panelctl dns integrations add` and `POST /api/v1/dns/integrations` take them in `fields`" + `, each a text. Secrets are
sealed and never shown again. A default holds where a field is left out.
`

// servicesPage lists the services that the panel knows with the fields of their integrations, as they are declared.
func servicesPage() string {
	var out strings.Builder
	out.WriteString(servicesHead)
	for _, kind := range provider.Kinds() {
		fmt.Fprintf(&out, "\n## %s\n\n`provider`: `%s`. %s\n\n", kind.Title, kind.Name, nature(kind))
		out.WriteString("| Field | Form | Required | Default | What to enter |\n|---|---|---|---|---|\n")
		for _, f := range kind.Fields {
			fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s |\n", f.Name, formOf(f), yes(f.Required), quoted(f.Default), f.Help)
		}
	}
	return out.String()
}

// nature is what a service does for the panel.
func nature(kind *provider.Kind) string {
	var does []string
	if !kind.CDN {
		does = append(does, fmt.Sprintf("Holds zones; the least TTL of a record is %d s.", kind.LeastTTL))
	}
	if kind.CDN || kind.Proxies {
		transports, tls, plain := cdn.Carriage(kind.Name)
		does = append(does, fmt.Sprintf("A CDN: it passes on `%s`; with TLS at port %s, without at %s.",
			strings.Join(transports, "`, `"), tls, plain))
		if slices.Contains(transports, "grpc") {
			does = append(does, "`grpc` goes with TLS at port 443 alone.")
		}
	}
	return strings.Join(does, " ")
}

func formOf(f provider.Field) string {
	if len(f.Choices) == 0 {
		return f.Form
	}
	choices := make([]string, len(f.Choices))
	for i, choice := range f.Choices {
		choices[i] = quoted(choice)
	}
	return "one of " + strings.Join(choices, ", ")
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
