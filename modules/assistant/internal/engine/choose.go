package engine

import (
	"context"
	"slices"
	"strings"

	"panel/modules/assistant/internal/refusals"
)

// topic is one kind of question.
type topic struct {
	name string
	// all are the concepts that a question must speak of, in each of the ways in which it can be asked.
	all [][]concept
	// may are concepts that it can speak of besides. A question with any other word is not this one.
	may []concept
	// not are concepts that make it another question.
	not []concept
	// subject says that the question is about one object: "this", or by its name.
	subject bool
	// free lets words stand in the question that are no words of the engine: names.
	free   bool
	answer func(*talk)
}

// Respond answers a question. Errors are those of the panel, not of the question.
func Respond(ctx context.Context, panel Reader, ask Ask) (Answer, []Proposal, error) {
	t := &talk{ctx: ctx, panel: panel, ask: ask, words: read(ask.Text)}
	t.answer = NewAnswer()
	if t.explained() {
		return t.answer, nil, nil
	}
	chosen := t.choose()
	if chosen == nil {
		t.unknown()
		return t.answer, nil, nil
	}
	t.answer.Topic, t.answer.Understood = chosen.name, true
	chosen.answer(t)
	if t.failed != nil {
		return Answer{}, nil, t.failed
	}
	if !t.answer.Understood {
		t.answer.Suggestions = Suggestions(ask.Language, ask.Page)
	}
	return t.answer, t.offers, nil
}

// choose gives the topic that explains the most of the question and leaves no word unexplained, or nil.
func (t *talk) choose() (best *topic) {
	most := 0
	for _, one := range topics() {
		if score := t.fits(&one); score > most {
			best, most = &one, score
		}
	}
	if best != nil {
		t.names = t.unexplained(best)
	}
	return best
}

// fits is how well a topic explains the question; 0: it does not.
func (t *talk) fits(one *topic) (score int) {
	if t.has(one.not...) {
		return 0
	}
	names := t.unexplained(one)
	if len(names) > 0 && !one.free {
		return 0
	}
	if one.subject && len(names) == 0 && !t.has(this) {
		return 0
	}
	for _, way := range one.all {
		if n := t.speaksOf(way); n > 0 {
			score = max(score, 10*n)
		}
	}
	switch {
	case score == 0:
		return 0
	case one.subject:
		score += 5
	}
	return score - len(names)
}

// speaksOf counts the concepts of a way, or gives 0 when one of them is missing. Each needs a word of its own.
func (t *talk) speaksOf(way []concept) int {
	taken := map[int]bool{}
	for _, want := range way {
		at := -1
		for i, w := range t.words {
			if !taken[i] && w.is(want) && (at < 0 || len(w.of) < len(t.words[at].of)) {
				at = i
			}
		}
		if at < 0 {
			return 0
		}
		taken[at] = true
	}
	return len(way)
}

const this concept = "this"

// unexplained are the words that neither the topic nor the language explains, neighbours joined: names, perhaps.
func (t *talk) unexplained(one *topic) (names []string) {
	var run []string
	flush := func() {
		if len(run) > 0 {
			names = append(names, strings.Join(run, " "))
		}
		run = nil
	}
	known := slices.Concat(one.may, []concept{stop, this})
	for _, way := range one.all {
		known = append(known, way...)
	}
	for _, w := range t.words {
		switch {
		case w.quoted:
			flush()
			names = append(names, w.text)
		case w.is(known...):
			flush()
		default:
			run = append(run, w.text)
		}
	}
	flush()
	return names
}

// unknown says that the question was not understood, and what can be asked.
func (t *talk) unknown() {
	t.text(t.say("I do not know: I have not understood the question, and I do not guess.",
		"Не знаю: я не понял вопрос, а гадать не буду."))
	if code := t.code(); code != "" {
		t.text(t.say("The panel has no error code %q.", "Кода ошибки %q у панели нет.", code))
	}
	t.answer.Suggestions = Suggestions(t.ask.Language, t.ask.Page)
}

// code is the word of the question that looks like an error code.
func (t *talk) code() string {
	for _, w := range t.words {
		if _, known := refusals.Of(w.text); known && (strings.Contains(w.text, "_") || len(w.of) == 0) {
			return w.text
		}
	}
	for _, w := range t.words {
		if strings.Contains(strings.Trim(w.text, "_"), "_") {
			return w.text
		}
	}
	return ""
}
