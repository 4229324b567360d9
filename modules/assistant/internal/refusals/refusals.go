// Package refusals holds what people are told about each error code of the panel. The texts are gathered from the
// screens by "make generate", so that a code is explained in one way wherever somebody meets it.
package refusals

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

//go:embed texts.json
var texts []byte

// Text is what is told about one code.
type Text struct {
	Status  int               `json:"status"`
	Meaning string            `json:"meaning"`
	Advice  map[string]string `json:"advice"` // by language
}

var all = sync.OnceValue(func() map[string]Text {
	known := map[string]Text{}
	if err := json.Unmarshal(texts, &known); err != nil {
		//nolint:forbidigo // only a damaged build has such a file
		panic(fmt.Sprintf("read the texts of error codes: %v", err))
	}
	return known
})

// Of gives the text of a code.
func Of(code string) (Text, bool) {
	text, known := all()[code]
	return text, known
}

// Codes are all codes that have a text.
func Codes() (codes []string) {
	for code := range all() {
		codes = append(codes, code)
	}
	return codes
}
