package xray

import (
	"encoding/json"
	"maps"
	"slices"

	"panel/modules/imports/internal/foreign"
	"panel/platform/pattern"
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
	l.Path = r.pathOf(at+".path", plain.Path)
	if l.Mode = plain.Mode; !slices.Contains(modes, l.Mode) {
		l.Mode = ""
		r.note(at+".mode", foreign.SettingLeftOut, "mode")
	}
	inner := map[string]json.RawMessage{}
	if filled(members["extra"]) && json.Unmarshal(members["extra"], &inner) != nil {
		r.note(at+".extra", foreign.NotReadable, "")
	}
	maps.Copy(members, inner)
	l.Extra = r.extra(members, at)
}

var modes = []string{"", "auto", "packet-up", "stream-up", "stream-one"}

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
		value, read := members[name], true
		switch {
		case slices.Contains(shared, name) || idle(value):
		case texts[name] != nil:
			*texts[name] = spanOf(value)
			read = *texts[name] != ""
		case flags[name] != nil:
			read = json.Unmarshal(value, flags[name]) == nil
		case name == "scMaxBufferedPosts":
			var posts int
			if read = json.Unmarshal(value, &posts) == nil && posts > 0 && posts <= mostPosts; read {
				e.MaxBufferedPosts = posts
			}
		default:
			read = false
		}
		if !read {
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

const mostPosts = 1000

var spanForm = pattern.Of(`^[0-9]{1,10}(-[0-9]{1,10})?$`)

// spanOf is a number, or two with a dash, in any of the forms in which the core takes them.
func spanOf(value json.RawMessage) string {
	var plain text
	if json.Unmarshal(value, &plain) == nil {
		if spanForm().MatchString(string(plain)) {
			return string(plain)
		}
		return ""
	}
	var span struct{ From, To json.Number }
	if json.Unmarshal(value, &span) != nil {
		return ""
	}
	if both := span.From.String() + "-" + span.To.String(); spanForm().MatchString(both) {
		return both
	}
	return ""
}
