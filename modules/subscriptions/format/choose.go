package format

import (
	"slices"
	"strings"
)

// programs tells by a part of its name what a program reads best. The first that fits counts: names of programs hold
// those of others that they are compatible with.
var programs = []struct {
	part string
	form Format
}{
	{"hiddify", Links},
	{"karing", Links},
	{"happ/", Xray},
	{"stash", Stash},
	{"sing-box", SingBox},
	{"singbox", SingBox},
	{"sfa/", SingBox},
	{"sfi/", SingBox},
	{"sfm/", SingBox},
	{"sft/", SingBox},
	{"clash", Clash},
	{"mihomo", Clash},
	{"meta/", Clash},
	{"flowvy", Clash},
	{"koala", Clash},
	{"verge", Clash},
}

// Named gives the form that a request asks for by name.
func Named(name string) (Format, bool) {
	at := slices.Index(All(), Format(name))
	if at < 0 {
		return "", false
	}
	return All()[at], true
}

// For gives the form for a program by what it calls itself, and reports whether it is a person with a browser.
func For(agent, accept string) (f Format, browser bool) {
	small := strings.ToLower(agent)
	for _, p := range programs {
		if strings.Contains(small, p.part) {
			return p.form, false
		}
	}
	return Links, strings.Contains(accept, "text/html")
}
