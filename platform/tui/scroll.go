package tui

// scroll shows a window of lines that may be more than there is height for.
type scroll struct{ top, height int }

// press follows the keys for moving and tells whether it was one.
func (s *scroll) press(key string) bool {
	switch key {
	case "up", "k":
		s.top--
	case "down", "j":
		s.top++
	case "pgup":
		s.top -= s.height - 1
	case "pgdown", "space":
		s.top += s.height - 1
	case "home", "g":
		s.top = 0
	case "end", "G":
		s.top = mostLogLines // the window stops at the end
	default:
		return false
	}
	return true
}

// window gives the lines that are seen; the last of them tells how many more follow.
func (s *scroll) window(w *world, lines []line, height int) []line {
	s.height = height
	s.top = max(0, min(s.top, len(lines)-height))
	seen := append([]line(nil), lines[s.top:min(len(lines), s.top+height)]...)
	if hidden := len(lines) - s.top - height; hidden > 0 && height > 0 {
		seen[height-1] = row(w.look.paint(quiet, w.look.plain("↓ ")+w.say("%d more lines", hidden+1)))
	}
	return seen
}
