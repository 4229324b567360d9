package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"panel/platform/support"
)

// manifestPage lists what a bundle holds, what was masked where, and what is missing.
type manifestPage struct {
	base
	manifest support.Manifest
	scroll   scroll
}

func (p *manifestPage) title() (string, string) {
	return p.w.say("Preview"), p.w.size(p.manifest.Bytes)
}

func (p *manifestPage) keys() []binding { return []binding{{key: "↑↓", does: "scroll"}} }

func (p *manifestPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	if !p.scroll.press(key) && (key == "enter" || key == "p") {
		return pop(p)
	}
	return nil
}

func (p *manifestPage) view(width, height int) []line {
	w := p.w
	cells := [][]string{{w.say("FILE"), w.say("SIZE"), w.say("MASKED"), w.say("SOURCE")}}
	for _, file := range p.manifest.Files {
		masked := 0
		for _, n := range file.Masked {
			masked += n
		}
		cells = append(cells, []string{file.Name, w.size(file.Bytes), fmt.Sprint(masked), file.Source})
	}
	lines := rows(w.look.columns(cells))
	if len(p.manifest.Missing) > 0 {
		lines = append(lines, row(""), row(w.look.paint(careful, w.say("Missing"))))
		for _, one := range p.manifest.Missing {
			lines = append(lines, rows(w.look.wrapped("  "+one.Name+": "+one.In(w.language()), width))...)
		}
	}
	return p.scroll.window(w, lines, height)
}
