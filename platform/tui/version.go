package tui

import (
	"runtime"

	tea "charm.land/bubbletea/v2"
)

func versionEntry() entry {
	return entry{
		name: "Version",
		hint: func(w *world) string {
			if w.state.version == "" {
				return w.say("CLI %s", w.env.Version)
			}
			return w.say("CLI %s", w.env.Version) + " · " + w.say("panel %s", w.state.version)
		},
		open:  func(w *world) page { return &versionPage{base{w: w}} },
		lines: func(q *lines) { q.command("version") },
	}
}

// versionPage tells which program answers here and which one runs as the panel.
type versionPage struct{ base }

func (p *versionPage) title() (string, string) { return p.w.say("Version"), "" }

func (p *versionPage) keys() []binding { return []binding{{key: "r", does: "Refresh"}} }

func (p *versionPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if key == "r" {
		return p.w.lookAtPanel(p.ctx, false)
	}
	return nil
}

func (p *versionPage) view(width, _ int) []line {
	w, running := p.w, p.w.state.version
	shown := running
	if shown == "" {
		shown = w.say("not reachable")
	}
	lines := append([]line{row(w.bar(p.keys())), row("")}, rows(w.look.columns([][]string{
		{"panelctl", w.env.Version}, {w.say("panel"), shown}, {w.say("address"), w.address}, {w.say("machine"), w.host + ", " + runtime.GOOS + "/" + runtime.GOARCH},
	}))...)
	verdict := ""
	switch running {
	case "":
	case w.env.Version:
		verdict = w.say("The running panel is of the same version as this tool.")
	default:
		verdict = w.say("The running panel is of another version than this tool. After an update restart it: systemctl restart panel")
	}
	return append(append(lines, row("")), rows(w.look.wrapped(verdict, width))...)
}
