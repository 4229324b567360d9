package tui

// list is a choice among rows, of which a window is shown.
type list struct{ at, top int }

// move follows a key over n rows and tells whether it was one for moving.
func (l *list) move(key string, n, height int) bool {
	switch key {
	case "up", "k":
		l.at--
	case "down", "j":
		l.at++
	case "pgup":
		l.at -= height
	case "pgdown", "space":
		l.at += height
	case "home", "g":
		l.at = 0
	case "end", "G":
		l.at = n - 1
	default:
		return false
	}
	l.at = max(0, min(l.at, n-1))
	return true
}

// window gives the rows that are shown, so that the chosen one is among them.
func (l *list) window(n, height int) (from, to int) {
	l.at = max(0, min(l.at, n-1))
	if l.at < l.top {
		l.top = l.at
	}
	if l.at >= l.top+height {
		l.top = l.at - height + 1
	}
	l.top = max(0, min(l.top, n-height))
	return l.top, min(n, l.top+height)
}

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
func (s *scroll) window(w *session, lines []line, height int) []line {
	s.height = height
	s.top = max(0, min(s.top, len(lines)-height))
	seen := append([]line(nil), lines[s.top:min(len(lines), s.top+height)]...)
	if hidden := len(lines) - s.top - height; hidden > 0 && height > 0 {
		seen[height-1] = row(w.look.paint(quiet, w.look.plain("↓ ")+w.say("%d more lines", hidden+1)))
	}
	return seen
}
