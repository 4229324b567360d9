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
