package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"panel/platform/httpapi"
)

// Reader asks operations of the panel that only read, with the rights of the context's caller.
type Reader interface {
	Get(ctx context.Context, path string, values url.Values, into any) error
}

// talk is one question while it is being answered.
type talk struct {
	ctx    context.Context //nolint:containedctx // of one question, for the one function that answers it
	panel  Reader
	ask    Ask
	words  []word
	names  []string // words that are no word of the engine, as they may be names
	answer Answer
	offers []Proposal
	failed error // of the panel itself
	masked bool  // a model reads it: no names of clients
}

// say gives a sentence in the language of the question.
func (t *talk) say(english, russian string, args ...any) string {
	if t.ask.Language == "ru" {
		return fmt.Sprintf(russian, args...)
	}
	return fmt.Sprintf(english, args...)
}

// text adds a paragraph.
func (t *talk) text(sentence string, links ...Link) { t.add(Text, sentence, links) }

// item adds an entry of a list.
func (t *talk) item(sentence string, links ...Link) { t.add(Item, sentence, links) }

// step adds a step of a task.
func (t *talk) step(sentence string, links ...Link) { t.add(Step, sentence, links) }

// warn adds what the caller must not overlook.
func (t *talk) warn(sentence string, links ...Link) { t.add(Warning, sentence, links) }

func (t *talk) add(kind, sentence string, links []Link) {
	added := Paragraph{Kind: kind, Text: sentence, Links: append([]Link{}, links...)}
	t.answer.Paragraphs = append(t.answer.Paragraphs, added)
}

// suggest adds what can be asked next.
func (t *talk) suggest(english, russian string, args ...any) {
	t.answer.Suggestions = append(t.answer.Suggestions, t.say(english, russian, args...))
}

// get reads, notes what was read, and says so where the caller may not. It is false when there is nothing to tell.
func (t *talk) get(path string, values url.Values, into any) bool {
	if t.failed != nil {
		return false
	}
	note := Read{Path: shown(path, values), At: t.ask.Now, OK: true, Missing: []string{}}
	err := t.panel.Get(t.ctx, path, values, into)
	var refused *httpapi.ReadError
	switch {
	case err == nil:
	case errors.As(err, &refused):
		note.OK, note.Missing = false, append(note.Missing, refused.Missing...)
		t.refused(refused)
	case errors.Is(err, httpapi.ErrNotReadable): // a panel without that module
		note.OK = false
		t.warn(t.say("This panel has no such part.", "В этой панели нет такой части."))
	default:
		t.failed = err
		return false
	}
	t.answer.Read = append(t.answer.Read, note)
	return err == nil
}

func (t *talk) refused(by *httpapi.ReadError) {
	switch {
	case by.Status == http.StatusForbidden && len(by.Missing) > 0:
		keys := strings.Join(by.Missing, ", ")
		t.warn(t.say("You cannot see this: your account lacks the permission %s.",
			"Вам это не видно: у вашей учётной записи нет права %s.", keys))
	case by.Status == http.StatusNotFound:
	default:
		t.warn(t.say("The panel does not tell this now (%s).", "Панель сейчас этого не сообщает (%s).", by.Code))
	}
}

// shown is a read as it is told: the path with its values.
func shown(path string, values url.Values) string {
	query := url.Values{}
	for name, list := range values {
		if place := "{" + name + "}"; strings.Contains(path, place) {
			path = strings.ReplaceAll(path, place, url.PathEscape(list[0]))
			continue
		}
		query[name] = list
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// has says whether the question speaks of one of the concepts.
func (t *talk) has(any ...concept) bool {
	return slices.ContainsFunc(t.words, func(w word) bool { return w.is(any...) })
}

// moment is a time as answers tell it.
func (t *talk) moment(at time.Time) string {
	text := at.UTC().Format("2006-01-02 15:04 UTC")
	if ago := t.ago(at); ago != "" {
		text += " (" + ago + ")"
	}
	return text
}

func (t *talk) ago(at time.Time) string {
	passed := t.ask.Now.Sub(at)
	switch {
	case passed < 0:
		return t.ahead(-passed)
	case passed < time.Minute:
		return t.say("just now", "только что")
	case passed < time.Hour:
		return t.say("%d min ago", "%d мин назад", int(passed.Minutes()))
	case passed < 48*time.Hour:
		return t.say("%d h ago", "%d ч назад", int(passed.Hours()))
	}
	return t.say("%d days ago", "%d дн. назад", int(passed.Hours()/24))
}

func (t *talk) ahead(left time.Duration) string {
	switch {
	case left < time.Hour:
		return t.say("in %d min", "через %d мин", max(1, int(left.Minutes())))
	case left < 48*time.Hour:
		return t.say("in %d h", "через %d ч", int(left.Hours()))
	}
	return t.say("in %d days", "через %d дн.", int(left.Hours()/24))
}

// bytes tells an amount of traffic.
func (t *talk) bytes(n int64) string {
	return scaled(float64(n), 1024, []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"})
}

// rate tells a speed.
func (t *talk) rate(bps float64) string {
	return scaled(bps, 1000, []string{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"})
}

func scaled(n, by float64, units []string) string {
	at := 0
	for n >= by && at < len(units)-1 {
		n, at = n/by, at+1
	}
	if at == 0 {
		return fmt.Sprintf("%.0f %s", n, units[at])
	}
	return fmt.Sprintf("%.1f %s", n, units[at])
}

// page is a page of a list of the API.
type page[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// named is an object with its name.
type named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func nodeLink(n named) Link { return Link{Label: n.Name, Href: "/nodes/" + n.ID} }

func flowLink(f named) Link { return Link{Label: f.Name, Href: "/flows/" + f.ID} }

// more says that a list is longer than what was told.
func (t *talk) more(total, told int, href string) {
	if total > told {
		t.text(t.say("And %d more.", "И ещё %d.", total-told), Link{Label: t.say("All", "Все"), Href: href})
	}
}

// values makes the values of a read of pairs.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}
