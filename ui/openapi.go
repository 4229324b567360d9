package ui

import _ "embed"

// OpenAPI is the description of the API that this build serves, as it is checked in.
//
//go:embed openapi.json
var OpenAPI []byte
