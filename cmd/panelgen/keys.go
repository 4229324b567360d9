package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"panel/platform/app"
	"panel/platform/module"
)

func indented(document []byte) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, document, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the API description: %w", err)
	}
	return append(bytes.TrimSpace(out.Bytes()), '\n'), nil
}

// keys gives the browser the permissions and features as types, so that a misspelt one does not compile.
func keys(all []module.Module) []byte {
	var out bytes.Buffer
	out.WriteString(
		"// Generated from the permission and feature catalogue of the panel by \"make generate\". Do not edit.\n",
	)
	var permissions []string
	for _, p := range app.Permissions(all) {
		permissions = append(permissions, string(p.Key))
	}
	union(&out, "permissionKeys", "PermissionKey", permissions)
	union(&out, "featureKeys", "FeatureKey", app.Features(all))
	return out.Bytes()
}

func union(out *bytes.Buffer, constant, name string, words []string) {
	fmt.Fprintf(out, "export const %s = [\n", constant)
	for _, word := range words {
		fmt.Fprintf(out, "  %q,\n", word)
	}
	fmt.Fprintf(out, "] as const;\n\nexport type %s = (typeof %s)[number];\n", name, constant)
	if constant == "permissionKeys" {
		out.WriteString("\n")
	}
}
