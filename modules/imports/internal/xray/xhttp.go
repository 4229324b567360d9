package xray

import (
	"encoding/json"
	"maps"
	"slices"

	"panel/modules/imports/internal/foreign"
)

// xhttp reads the settings of xhttp, whose further ones stand beside the others or in a member of their own.
func (r *reader) xhttp(l *foreign.Listener, t *stream) {
	raw, at := t.XHTTP, ".streamSettings.xhttpSettings"
	if !filled(raw) {
		raw, at = t.Split, ".streamSettings.splithttpSettings"
	}
	var plain struct {
		Path string `json:"path"`
		Mode string `json:"mode"`
	}
	members := map[string]json.RawMessage{}
	if filled(raw) && (json.Unmarshal(raw, &plain) != nil || json.Unmarshal(raw, &members) != nil) {
		r.note(at, foreign.NotReadable, "")
		return
	}
	l.Path, l.Mode = pathOf(plain.Path), plain.Mode
	inner := map[string]json.RawMessage{}
	if filled(members["extra"]) && json.Unmarshal(members["extra"], &inner) != nil {
		r.note(at+".extra", foreign.NotReadable, "")
	}
	maps.Copy(members, inner)
	l.Extra = r.extra(members, at)
}

// shared are members that other settings have already read, or that belong to client programs alone.
var shared = []string{"path", "mode", "host", "extra", "xmux", "enableXmux", "scMaxConcurrentPosts"}

func (r *reader) extra(members map[string]json.RawMessage, at string) *foreign.Extra {
	var e foreign.Extra
	texts := map[string]*string{
		"xPaddingBytes": &e.PaddingBytes, "scMaxEachPostBytes": &e.MaxEachPostBytes,
		"scMinPostsIntervalMs": &e.MinPostsIntervalMs, "scStreamUpServerSecs": &e.StreamUpServerSecs,
	}
	flags := map[string]*bool{"noGRPCHeader": &e.NoGRPCHeader, "noSSEHeader": &e.NoSSEHeader}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		switch {
		case slices.Contains(shared, name) || idle(value):
		case texts[name] != nil:
			*texts[name] = spanOf(value)
		case flags[name] != nil:
			_ = json.Unmarshal(value, flags[name]) // what is no flag stays off
		case name == "scMaxBufferedPosts":
			_ = json.Unmarshal(value, &e.MaxBufferedPosts)
		default:
			r.note(at, foreign.SettingLeftOut, name)
		}
	}
	if e == (foreign.Extra{}) {
		return nil
	}
	return &e
}

// idle is a value that changes nothing.
func idle(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "{}", "[]", `""`, "0", "false", `"0"`, `"-1"`:
		return true
	}
	return false
}

// spanOf is a number, or two with a dash, in any of the forms in which the core takes them.
func spanOf(value json.RawMessage) string {
	var plain text
	if json.Unmarshal(value, &plain) == nil {
		return string(plain)
	}
	var span struct{ From, To json.Number }
	if json.Unmarshal(value, &span) != nil || span.From == "" || span.To == "" {
		return ""
	}
	return span.From.String() + "-" + span.To.String()
}
