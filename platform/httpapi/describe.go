package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"panel/platform/access"
)

func describe(version string, names func(reflect.Type, string) string) huma.Config {
	format := huma.Format{Marshal: Encode, Unmarshal: json.Unmarshal}
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Panel", Version: version},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", names),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"session": {
						Type: "http", Scheme: "bearer",
						Description: "Session token or API token of an administrator",
					},
					"agent": {Type: "http", Scheme: "bearer", Description: "Token of a node's agent"},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat: "application/json",
	}
}

// schemaName puts the package before the type's name, and the module before a name that is made up for a type without
// one, so that two modules may both have a "profile".
func (s *Server) schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Name() == "" {
		return title(s.adding) + huma.DefaultSchemaNamer(t, hint)
	}
	name, arguments, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return title(lastElement(t.PkgPath())) + title(name)
	}
	inner := strings.TrimSuffix(arguments, "]")
	pkg, typ, _ := strings.Cut(inner[strings.LastIndex(inner, "/")+1:], ".")
	return title(pkg) + title(typ) + title(name)
}

func lastElement(path string) string { return path[strings.LastIndex(path, "/")+1:] }

func title(word string) string {
	word = strings.ReplaceAll(word, "-", "")
	if word == "" {
		return ""
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

func description(op *Operation) huma.Operation {
	described := huma.Operation{
		OperationID: op.ID(), Method: op.Method, Path: op.Path, Summary: op.Summary, Hidden: op.Hidden,
		DefaultStatus: op.Status, MaxBodyBytes: op.BodyLimit + 1, Tags: []string{op.Owner}, Errors: statusesOf(op),
		Extensions: extensions(op), BodyReadTimeout: -1,
		SkipValidateBody: true, // it is judged before, at one reading
	}
	described.Security = security(op)
	described.Parameters = slices.Clone(op.takes)
	if op.Repeatable() {
		described.Parameters = append(described.Parameters, keyParameter(op.Keyed))
	}
	return described
}

func keyParameter(required bool) *huma.Param {
	longest := longestIdemKey
	return &huma.Param{
		Name: idempotencyKey, In: "header", Required: required, Schema: &huma.Schema{Type: huma.TypeString, MaxLength: &longest},
		Description: "Makes it safe to repeat the request: the same key with the same request gets the same answer for a day, with " +
			"Idempotency-Replayed: true, and the work is done once; with another request it is 409 idempotency_mismatch",
	}
}

func (s *Server) rawDescription(op *Operation) *huma.Operation {
	described := description(op)
	problem := s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "")
	described.Responses = map[string]*huma.Response{strconv.Itoa(cmp.Or(op.Status, http.StatusOK)): {Description: "The content itself"}}
	for _, status := range described.Errors {
		described.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: problem}},
		}
	}
	if op.reads != nil {
		s.adding = op.Owner
		schema := s.api.OpenAPI().Components.Schemas.Schema(op.reads, true, "")
		described.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}, Required: true}
	}
	return &described
}

func security(op *Operation) []map[string][]string {
	switch op.Rule.Kind {
	case access.KindSession, access.KindSetup:
		return []map[string][]string{{"session": {}}}
	case access.KindAgent:
		return []map[string][]string{{"agent": {}}}
	default:
		return nil
	}
}

func extensions(op *Operation) map[string]any {
	out := map[string]any{}
	if len(op.Rule.Keys) > 0 {
		out["x-permission"] = op.Rule.Keys
	}
	if len(op.Rule.Also) > 0 {
		out["x-permission-also"] = op.Rule.Also
	}
	if op.Feature != "" {
		out["x-license-feature"] = op.Feature
	}
	if op.SignedIn {
		out["x-signed-in"] = true
	}
	if op.WhileDegraded {
		out["x-while-degraded"] = true
	}
	return out
}

func statusesOf(op *Operation) []int {
	list := []int{http.StatusBadRequest, http.StatusInternalServerError}
	if op.Writes() || op.Rule.Kind == access.KindSession || op.Rule.Kind == access.KindAgent ||
		op.Rule.Kind == access.KindSetup {
		list = append(list, http.StatusUnauthorized, http.StatusForbidden)
	}
	if strings.Contains(op.Path, "{") || op.Rule.Kind == access.KindAgent {
		list = append(list, http.StatusNotFound)
	}
	if op.Writes() {
		list = append(list, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity)
	}
	if op.Rule.Limit.PerMinute > 0 || op.Paced {
		list = append(list, http.StatusTooManyRequests)
	}
	return append(list, http.StatusServiceUnavailable)
}

// loosen describes the bodies of lenient operations as they are taken: with unknown fields and without known ones.
func (s *Server) loosen() {
	for _, at := range s.ops {
		if !at.op.Lenient || at.described == nil || at.described.RequestBody == nil {
			continue
		}
		for _, content := range at.described.RequestBody.Content {
			s.loosenSchema(content.Schema, map[*huma.Schema]bool{})
		}
	}
}

func (s *Server) loosenSchema(schema *huma.Schema, seen map[*huma.Schema]bool) {
	if schema == nil || seen[schema] {
		return
	}
	seen[schema] = true
	if schema.Ref != "" {
		s.loosenSchema(s.api.OpenAPI().Components.Schemas.SchemaFromRef(schema.Ref), seen)
		return
	}
	if schema.AdditionalProperties == false {
		schema.AdditionalProperties = true
	}
	schema.Required = nil
	for _, property := range schema.Properties {
		s.loosenSchema(property, seen)
	}
	s.loosenSchema(schema.Items, seen)
}

// Describe gives the exported OpenAPI description: stable bytes, without hidden operations and what only they use.
func (s *Server) Describe() ([]byte, error) { return stable(s.api.OpenAPI()) }

// DescribeHidden gives the description of the hidden operations alone, for the types of the panel's own screens.
func (s *Server) DescribeHidden() ([]byte, error) {
	hidden := *s.api.OpenAPI()
	hidden.Paths = map[string]*huma.PathItem{}
	for _, at := range s.ops {
		if at.op.Hidden && at.described != nil {
			hidden.AddOperation(at.described)
		}
	}
	return stable(&hidden)
}

func stable(description *huma.OpenAPI) ([]byte, error) {
	raw, err := json.Marshal(description)
	if err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	var tree map[string]any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, fmt.Errorf("describe the API: %w", err)
	}
	prune(tree)
	out, err := json.MarshalIndent(tree, "", "  ")
	return append(out, '\n'), err
}

// prune takes away the schemas that no operation of the description leads to.
func prune(tree map[string]any) {
	components, _ := tree["components"].(map[string]any)
	schemas, _ := components["schemas"].(map[string]any)
	used := map[string]bool{}
	follow(tree["paths"], schemas, used)
	maps.DeleteFunc(schemas, func(name string, _ any) bool { return !used[name] })
}

func follow(part any, schemas map[string]any, used map[string]bool) {
	switch value := part.(type) {
	case map[string]any:
		if ref, ok := value["$ref"].(string); ok {
			name := lastElement(ref)
			if !used[name] {
				used[name] = true
				follow(schemas[name], schemas, used)
			}
		}
		for _, inner := range value {
			follow(inner, schemas, used)
		}
	case []any:
		for _, inner := range value {
			follow(inner, schemas, used)
		}
	}
}
