package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"panel/platform/app"
	"panel/platform/httpapi"
	"panel/platform/module"
)

// published are the modules that the documents for operators speak of.
func published(all []module.Module) (shown []module.Module) {
	for _, m := range all {
		if !m.Unpublished {
			shown = append(shown, m)
		}
	}
	return shown
}

// refusal is what people are told about one error code.
type refusal struct {
	Status  int               `json:"status"`
	Meaning string            `json:"meaning"`
	Advice  map[string]string `json:"advice"` // by language, as the screens say it
}

// refusals gathers the sentences of the screens about every error code, so that the panel explains a code in one way
// wherever it is asked. A code without a sentence in both languages is an error.
func refusals(all []module.Module) ([]byte, error) {
	sentences := map[string]map[string]string{}
	for _, language := range []string{"en", "ru"} {
		said, err := sentencesIn(language)
		if err != nil {
			return nil, err
		}
		sentences[language] = said
	}
	texts := map[string]refusal{}
	for _, f := range app.Faults(all) {
		advice := map[string]string{}
		for language, said := range sentences {
			if advice[language] = said[f.Code]; advice[language] == "" {
				return nil, fmt.Errorf("the screens have no sentence of the language %s about the code %s", language, f.Code)
			}
		}
		texts[f.Code] = refusal{Status: httpapi.StatusOf(f.Kind), Meaning: f.Summary, Advice: advice}
	}
	out, err := json.MarshalIndent(texts, "", "\t")
	return append(out, '\n'), err
}

func sentencesIn(language string) (map[string]string, error) {
	files, err := filepath.Glob("ui/src/modules/*/words." + language + ".json")
	if err != nil {
		return nil, fmt.Errorf("look for the words of the screens: %w", err)
	}
	said := map[string]string{}
	for _, name := range append(files, "ui/src/app/messages."+language+".json") {
		content, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read the words of the screens: %w", err)
		}
		var words struct {
			Problem map[string]any `json:"problem"`
		}
		if err := json.Unmarshal(content, &words); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		for code, text := range words.Problem {
			if sentence, plain := text.(string); plain {
				said[code] = sentence
			}
		}
	}
	return said, nil
}
