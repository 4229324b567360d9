package settings

import (
	"fmt"
	"reflect"
	"strings"

	"panel/platform/config"
)

// Secret is a write-only field of a document. In a request an absent field leaves the stored secret as it is, an empty
// text removes it and any other text replaces it. It never prints and is never part of an answer: views show Set.
type Secret struct {
	value config.Secret
	given bool
}

// NewSecret makes a secret that replaces what is stored.
func NewSecret(text string) Secret { return Secret{value: config.NewSecret(text), given: true} }

// Reveal gives the secret itself, for the one place that needs it.
func (s Secret) Reveal() string { return s.value.Reveal() }

// Set reports whether there is a secret.
func (s Secret) Set() bool { return !s.value.Empty() }

// UnmarshalText reads the secret from a request.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = NewSecret(string(text))
	return nil
}

// MarshalText gives stars, or nothing when there is no secret.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.value.String()), nil }

// Format keeps every verb from showing the secret.
func (s Secret) Format(out fmt.State, verb rune) { s.value.Format(out, verb) }

var secretType = reflect.TypeFor[Secret]()

// secrets finds the secret fields of a document by their JSON path, for example "messenger.token". Only structs are
// looked into: a list of secrets would have no lasting place for each.
func secrets(document any) map[string]*Secret {
	found := map[string]*Secret{}
	collect(reflect.ValueOf(document).Elem(), "", found)
	return found
}

func collect(value reflect.Value, path string, found map[string]*Secret) {
	for i := range value.NumField() {
		field, described := value.Field(i), value.Type().Field(i)
		name, _, _ := strings.Cut(described.Tag.Get("json"), ",")
		switch {
		case !described.IsExported() || name == "-":
		case field.Type() == secretType:
			secret, _ := field.Addr().Interface().(*Secret)
			found[path+name] = secret
		case field.Kind() == reflect.Struct && described.Anonymous:
			collect(field, path, found)
		case field.Kind() == reflect.Struct:
			collect(field, path+name+".", found)
		}
	}
}
