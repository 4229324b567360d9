package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"panel/platform/cli"
)

// The least window, and the time a remark stays.
const (
	leastWidth  = 80
	leastHeight = 24
	noteStays   = 4 * time.Second
	spinEvery   = 120 * time.Millisecond
)

// shell is the frame around all pages: header, language, help, the stack of pages.
type shell struct {
	w             *session
	ctx           context.Context //nolint:containedctx // the life of the program
	pages         []opened
	width, height int
	note          noteMsg
	noted         int // counts remarks, so that an old timer does not remove a new one
	spinning      bool
	interrupted   bool
}

// opened is a page with the end of its life.
type opened struct {
	page page
	end  context.CancelFunc
}

func newShell(ctx context.Context, w *session) *shell { return &shell{w: w, ctx: ctx} }

func (s *shell) Init() tea.Cmd {
	return tea.Batch(s.open(newMenu(s.w)), s.w.lookAtPanel(s.ctx, true), s.spin())
}

func (s *shell) open(p page) tea.Cmd {
	ctx, end := context.WithCancel(s.ctx)
	s.pages = append(s.pages, opened{p, end})
	return p.start(ctx)
}

func (s *shell) top() page { return s.pages[len(s.pages)-1].page }

// close leaves the shown page; the menu stays.
func (s *shell) close() {
	if len(s.pages) == 1 {
		return
	}
	s.wipe(len(s.pages) - 1)
	s.pages = s.pages[:len(s.pages)-1]
}

// leave closes a page with all above it, if it is still there.
func (s *shell) leave(p page) {
	at := slices.IndexFunc(s.pages, func(one opened) bool { return one.page == p })
	for at > 0 && len(s.pages) > at {
		s.close()
	}
}

func (s *shell) wipe(i int) {
	s.pages[i].end()
	if p, wipes := s.pages[i].page.(leaver); wipes {
		p.leave()
	}
}

type (
	spinMsg    struct{}
	noteEndMsg struct{ noted int }
)

func (s *shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		return s, tea.Batch(s.press(msg), s.spin())
	case tea.PasteMsg:
		return s, s.top().update(msg)
	case stateMsg:
		s.w.state = msg.state
		return s, tea.Batch(nextLook(msg), s.spread(msg))
	case lookMsg:
		return s, s.w.lookAtPanel(s.ctx, true)
	case spinMsg:
		s.w.step++
		s.spinning = false
		return s, s.spin()
	case pushMsg:
		return s, tea.Batch(s.open(msg.page), s.spin())
	case popMsg:
		s.leave(msg.page)
	case noteMsg:
		return s, s.remark(msg)
	case noteEndMsg:
		if msg.noted == s.noted {
			s.note = noteMsg{}
		}
	default:
		return s, tea.Batch(s.spread(msg), s.spin())
	}
	return s, nil
}

func nextLook(msg stateMsg) tea.Cmd {
	if !msg.regular {
		return nil
	}
	wait := lookSoon
	if msg.state.healthy {
		wait = lookEvery
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return lookMsg{} })
}

// spread hands an answer to every page: one may still be at work below another.
func (s *shell) spread(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, one := range s.pages {
		cmds = append(cmds, one.page.update(msg))
	}
	return tea.Batch(cmds...)
}

func (s *shell) remark(msg noteMsg) tea.Cmd {
	s.note = msg
	s.noted++
	noted := s.noted
	return tea.Tick(noteStays, func(time.Time) tea.Msg { return noteEndMsg{noted} })
}

// spin keeps the spinner turning while something is at work, and only then.
func (s *shell) spin() tea.Cmd {
	busy := !s.w.state.asked
	for _, one := range s.pages {
		busy = busy || one.page.busy()
	}
	if !busy || s.spinning {
		return nil
	}
	s.spinning = true
	return tea.Tick(spinEvery, func(time.Time) tea.Msg { return spinMsg{} })
}

// press keeps the keys of the frame and gives the others to the page.
func (s *shell) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	if key == "ctrl+c" {
		s.interrupted = true
		return s.quit()
	}
	if s.small() {
		if latin(key) == "q" {
			return s.quit()
		}
		return nil
	}
	// Escape and a letter close behind it look like the letter with Alt, which means nothing here.
	if letter, hasty := strings.CutPrefix(key, "alt+"); hasty && !s.top().typing() {
		return tea.Batch(
			s.press(tea.KeyPressMsg{Code: tea.KeyEscape}),
			s.press(tea.KeyPressMsg{Code: msg.Code, Text: letter}),
		)
	}
	if !s.top().typing() {
		key = latin(key)
	}
	if cmd, used := s.own(key); used {
		return cmd
	}
	return s.top().press(key, msg)
}

// own are the keys that work everywhere.
func (s *shell) own(key string) (tea.Cmd, bool) {
	switch {
	case key == "esc" && !s.kept():
		s.note = noteMsg{}
		s.close()
		return nil, true
	case s.top().typing():
		return nil, false
	}
	switch key {
	case "q":
		return s.quit(), true
	case "L":
		s.w.russian, s.note = !s.w.russian, noteMsg{}
		return s.spread(languageMsg{}), true
	case "?":
		if _, open := s.top().(*keyHelp); !open {
			return s.open(newKeyHelp(s.w, s.top())), true
		}
	case "i":
		if _, open := s.top().(*signIn); !open && s.w.state.refused {
			return s.open(newSignIn(s.w)), true
		}
	}
	return nil, false
}

// kept says that the page has something to take back before it is left.
func (s *shell) kept() bool {
	page, has := s.top().(closer)
	return has && page.closes()
}

// languageMsg tells pages that keep ready-made text that the language is another now.
type languageMsg struct{}

func (s *shell) quit() tea.Cmd {
	for i := range s.pages {
		s.wipe(i)
	}
	return tea.Sequence(s.w.signOut(), tea.Quit)
}

// cyrillic are the letters of the Russian keyboard where the Latin ones lie, so that keys work in both layouts.
var cyrillic = strings.NewReplacer(
	"й",
	"q",
	"ц",
	"w",
	"у",
	"e",
	"к",
	"r",
	"е",
	"t",
	"н",
	"y",
	"г",
	"u",
	"ш",
	"i",
	"щ",
	"o",
	"з",
	"p",
	"ф",
	"a",
	"ы",
	"s",
	"в",
	"d",
	"а",
	"f",
	"п",
	"g",
	"р",
	"h",
	"о",
	"j",
	"л",
	"k",
	"д",
	"l",
	"я",
	"z",
	"ч",
	"x",
	"с",
	"c",
	"м",
	"v",
	"и",
	"b",
	"т",
	"n",
	"ь",
	"m",
	"Д",
	"L",
	"Т",
	"N",
	"П",
	"G",
)

func latin(key string) string { return cyrillic.Replace(key) }

func (s *shell) small() bool { return s.width < leastWidth || s.height < leastHeight }

func (s *shell) View() tea.View {
	view := tea.NewView(strings.Join(s.drawn(), "\n"))
	view.AltScreen = true
	view.WindowTitle = "panelctl " + s.w.host
	return view
}

func (s *shell) drawn() []string {
	switch {
	case s.width == 0 || len(s.pages) == 0:
		return nil
	case s.small():
		text := s.w.say(
			"This window is %dx%d. The interface needs %dx%d: make it larger, or leave with q and use panelctl tui --linear.",
			s.width,
			s.height,
			leastWidth,
			leastHeight,
		)
		return s.w.look.wrapped(text, s.width)
	}
	return s.frame(s.width-1, s.height) // the last column stays free: some terminals break lines there
}

const frameLines = 4 // two of the header, the rule below it and the foot

func (s *shell) frame(width, height int) []string {
	l := s.w.look
	title, aside := s.top().title()
	drawn := []string{l.top("panelctl "+s.w.env.Version, s.w.host+" · "+s.w.address, width)}
	drawn = append(drawn, l.framed([]line{row(" " + s.w.stateLine(width-sides-1)), ruled(title, aside)}, width)...)
	body := tall(s.top().view(width-sides, height-frameLines), height-frameLines)
	return append(append(drawn, l.framed(body, width)...), s.foot(width))
}

// foot is the last line: a remark while there is one, else the keys for moving.
func (s *shell) foot(width int) string {
	l := s.w.look
	if s.note.text != "" {
		tone := good
		if s.note.bad {
			tone = bad
		}
		return l.bottom(l.paint(tone, s.note.text), "", width)
	}
	if own, has := s.top().(footed); has {
		return l.bottom(s.w.say(own.foot()), "", width)
	}
	switch {
	case len(s.pages) == 1:
		return l.bottom("", "", width)
	case s.top().typing():
		return l.bottom(s.w.say("enter next  esc back"), "", width)
	}
	return l.bottom(s.w.say("esc back  L ru/en  ? keys  q quit"), "", width)
}

// exit is the end of the program as the command line understands it.
func (s *shell) exit() error {
	if s.interrupted {
		return &cli.Failure{Exit: cli.ExitInterrupted}
	}
	return nil
}
