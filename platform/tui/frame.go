package tui

import "strings"

// line is one row of a screen: text between the sides of the frame, or a rule across it with words on it.
type line struct {
	text, aside string
	rule        bool
}

func row(text string) line { return line{text: text} }

func rows(texts []string) []line {
	lines := make([]line, len(texts))
	for i, text := range texts {
		lines[i] = row(text)
	}
	return lines
}

// ruled is a rule with a title on its left and a remark on its right.
func ruled(title, aside string) line { return line{text: title, aside: aside, rule: true} }

// tall makes lines exactly as many as asked: the rest is empty, what is too much is left out.
func tall(lines []line, height int) []line {
	for len(lines) < height {
		lines = append(lines, row(""))
	}
	return lines[:max(0, height)]
}

const sides = 4 // two borders and a space inside of each

// framed draws lines between the sides of a frame of that width.
func (l look) framed(lines []line, width int) []string {
	b := l.border()
	drawn := make([]string, len(lines))
	for i, one := range lines {
		if one.rule {
			drawn[i] = l.across(b.left, b.right, one.text, one.aside, width)
			continue
		}
		drawn[i] = l.paint(quiet, b.side) + " " + l.fit(one.text, width-sides) + " " + l.paint(quiet, b.side)
	}
	return drawn
}

func (l look) top(title, aside string, width int) string {
	b := l.border()
	return l.across(b.topLeft, b.topRight, title, aside, width)
}

func (l look) bottom(words, aside string, width int) string {
	b := l.border()
	return l.across(b.bottomLeft+b.line, b.bottomRight, words, aside, width)
}

// across draws "┌ title ─────── aside ┐"; the aside gives way before the title does.
func (l look) across(from, to, title, aside string, width int) string {
	b := l.border()
	room := width - l.width(from) - l.width(to)
	left, right := "", ""
	if title != "" {
		left = " " + l.cut(title, room-2) + " "
	}
	if left == "" {
		left = b.line
	}
	if aside != "" {
		right = " " + l.plain(aside) + " "
		if l.width(left)+l.width(right)+1 > room {
			right = ""
		}
	}
	fill := strings.Repeat(b.line, max(0, room-l.width(left)-l.width(right)))
	return l.paint(quiet, from) + l.heading(left, b) + l.paint(quiet, fill) + right + l.paint(quiet, to)
}

func (l look) heading(text string, b border) string {
	if text == b.line {
		return l.paint(quiet, text)
	}
	return l.paint(strong, text)
}

// columns aligns rows by their widest cells, two spaces apart; the last column is free.
func (l look) columns(table [][]string) []string {
	var widths []int
	for _, cells := range table {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], l.width(cell))
		}
	}
	lines := make([]string, len(table))
	for i, cells := range table {
		var b strings.Builder
		for j, cell := range cells[:len(cells)-1] {
			b.WriteString(l.fit(cell, widths[j]) + "  ")
		}
		lines[i] = b.String() + cells[len(cells)-1]
	}
	return lines
}
