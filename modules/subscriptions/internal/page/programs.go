package page

import (
	"encoding/base64"
	"html/template"
	"net/url"
	"strings"
)

// program is a client program that takes a subscription by a link of its own.
type program struct {
	name string
	open func(address, title string) string
}

// button opens a program with the subscription.
type button struct {
	Name string
	URL  template.URL
}

// device is a kind of device with the programs for it.
type device struct {
	Name    string
	Buttons []button
}

func plain(prefix string) func(address, title string) string {
	return func(address, _ string) string { return prefix + address }
}

func asked(prefix, name string) func(address, title string) string {
	return func(address, title string) string {
		return prefix + "url=" + url.QueryEscape(address) + name + url.PathEscape(title)
	}
}

var (
	happ      = program{"Happ", plain("happ://add/")}
	v2rayTun  = program{"v2RayTun", plain("v2raytun://import/")}
	streisand = program{"Streisand", plain("streisand://import/")}
	v2rayNG   = program{"v2rayNG", asked("v2rayng://install-sub?", "&name=")}
	singBox   = program{"sing-box", asked("sing-box://import-remote-profile?", "#")}
	clash     = program{"Clash Meta", asked("clash://install-config?", "&name=")}
	flClash   = program{"FlClash", asked("flclash://install-config?", "&name=")}
	verge     = program{"Clash Verge", asked("clash://install-config?", "&name=")}
	stash     = program{"Stash", asked("stash://install-config?", "&name=")}
	hiddify   = program{"Hiddify", func(address, title string) string {
		return "hiddify://import/" + address + "#" + url.PathEscape(title)
	}}
	shadowrocket = program{"Shadowrocket", func(address, title string) string {
		return "sub://" + base64.RawURLEncoding.EncodeToString([]byte(address)) + "#" + url.PathEscape(title)
	}}
)

var kinds = []struct {
	name     string
	marks    []string // parts of what browsers on it call themselves
	programs []program
}{
	{"iPhone, iPad", []string{"iphone", "ipad"}, []program{happ, v2rayTun, streisand, hiddify, shadowrocket, stash, singBox}},
	{"Android", []string{"android"}, []program{happ, v2rayNG, v2rayTun, hiddify, clash, singBox}},
	{"Windows", []string{"windows"}, []program{happ, hiddify, verge, flClash}},
	{"macOS", []string{"macintosh", "mac os"}, []program{happ, v2rayTun, streisand, hiddify, verge, stash, singBox}},
	{"Linux", []string{"linux", "x11"}, []program{happ, hiddify, verge, flClash}},
}

// devices gives the device that the visitor uses, and the others.
func devices(v View) (here device, others []device) {
	agent, found := strings.ToLower(v.Agent), false
	for _, kind := range kinds {
		d := device{Name: kind.name}
		for _, p := range kind.programs {
			d.Buttons = append(d.Buttons, button{p.name, template.URL(p.open(v.Address, v.Title))}) //nolint:gosec // schemes of our own
		}
		if !found && holds(agent, kind.marks) {
			here, found = d, true
			continue
		}
		others = append(others, d)
	}
	return here, others
}

func holds(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
