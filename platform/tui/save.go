package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"panel/platform/support"
)

// savePage asks for the name of a file and writes to it; it never overwrites one.
type savePage struct {
	base
	name    string
	field   *field
	content func() ([]byte, error)
	trouble string
	saving  bool
}

type savedMsg struct {
	page *savePage
	path string
	err  error
}

func newSavePage(w *session, name, proposal string, content func() ([]byte, error)) page {
	return &savePage{base: base{w: w}, name: name, field: newField(proposal), content: content}
}

// fileName proposes a name in the current folder that tells what and when.
func (w *session) fileName(what, ending string) string {
	return "./" + what + w.clock.Now().Format("-20060102-1504") + "." + ending
}

func (p *savePage) title() (string, string) { return p.w.say(p.name), "" }

func (p *savePage) typing() bool { return true }

func (p *savePage) busy() bool { return p.saving }

func (p *savePage) update(msg tea.Msg) tea.Cmd {
	saved, is := msg.(savedMsg)
	if !is {
		return p.field.update(msg)
	}
	if saved.page != p {
		return nil
	}
	p.saving = false
	if saved.err != nil {
		p.trouble = p.w.say("not saved: %s", innermost(saved.err))
		if errors.Is(saved.err, fs.ErrExist) {
			p.trouble = p.w.say("this file is already there; choose another name")
		}
		return nil
	}
	return tea.Sequence(pop(p), note(p.w.say("saved to %s", saved.path)))
}

func (p *savePage) press(key string, msg tea.KeyPressMsg) tea.Cmd {
	if key != "enter" {
		p.trouble = ""
		return p.field.update(msg)
	}
	path := strings.TrimSpace(p.field.value())
	if path == "" || p.saving {
		return nil
	}
	p.saving = true
	content := p.content
	return func() tea.Msg {
		whole, err := filepath.Abs(path)
		if err == nil {
			err = write(whole, content)
		}
		return savedMsg{p, whole, err}
	}
}

// write makes a file that its owner alone can read.
func write(path string, content func() ([]byte, error)) error {
	text, err := content()
	if err != nil {
		return fmt.Errorf("make the content: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func (p *savePage) view(width, _ int) []line {
	question := p.w.say("File:")
	lines := []line{row(""), row(question + " " + p.field.view(width-p.w.look.width(question)-1)), row("")}
	lines = append(lines, row(p.w.look.paint(quiet, p.w.say("Only you will be able to read it."))))
	if p.trouble != "" {
		lines = append(lines, row(""), row(p.w.look.paint(bad, p.trouble)))
	}
	return lines
}

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
