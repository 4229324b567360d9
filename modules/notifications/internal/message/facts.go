package message

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Facts are the members of an event's data that people are shown; what is not named here is shown to nobody.
type Facts struct {
	Name   string
	values map[string]string
	reason Reason // of a notification that was not sent
}

// Read takes the facts out of the data of an event.
func Read(data []byte) Facts {
	facts := Facts{values: map[string]string{}}
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return facts
	}
	for _, key := range order {
		facts.values[key] = shown(members[key])
	}
	facts.reason = Because(shown(members["reason_code"]), shown(members["reason_detail"]))
	for _, key := range []string{"name", "username", "version"} {
		if name := shown(members[key]); name != "" {
			facts.Name = name
			break
		}
	}
	return facts
}

func shown(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case float64:
		if v == 0 {
			return ""
		}
		return fmt.Sprintf("%.0f", v)
	case []any:
		texts := make([]string, len(v))
		for i, one := range v {
			texts[i] = shown(one)
		}
		return strings.Join(texts, ", ")
	}
	return ""
}

// Details gives the facts with their labels. Of what the panel says in a sentence of its own, say gives the one in the
// language of the words.
func (f Facts) Details(words Words, say func(english string) string) (all []Detail) {
	for _, key := range order {
		text := f.values[key]
		if key == "action_title" || key == "cause" {
			text = say(text)
		}
		if key == "reason" && f.reason.Code != "" {
			text = words.Reason(f.reason)
		}
		if text != "" && text != f.Name {
			all = append(all, Detail{Label: words.Details[key], Text: text})
		}
	}
	return all
}
