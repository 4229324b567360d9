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
	top      int
}

func (p *manifestPage) title() (string, string) { return p.w.say("Preview"), size(p.manifest.Bytes) }

func (p *manifestPage) keys() []binding { return []binding{{key: "↑↓", does: "scroll"}} }

func (p *manifestPage) press(key string, _ tea.KeyPressMsg) tea.Cmd {
	switch key {
	case "up", "k":
		p.top = max(0, p.top-1)
	case "down", "j":
		p.top++
	case "enter", "p":
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
		cells = append(cells, []string{file.Name, size(file.Bytes), fmt.Sprint(masked), file.Source})
	}
	lines := rows(w.look.columns(cells))
	if len(p.manifest.Missing) > 0 {
		lines = append(lines, row(""), row(w.look.paint(careful, w.say("Missing"))))
		for _, one := range p.manifest.Missing {
			lines = append(lines, rows(w.look.wrapped("  "+one.Name+": "+one.In(w.language()), width))...)
		}
	}
	p.top = min(p.top, max(0, len(lines)-height))
	return lines[p.top:]
}
