package support

import (
	"slices"
	"strings"
)

// People write about secrets in sentences: the name of the secret, perhaps whose it is, and then the value.
const (
	proseName = `(?i)(?:\bpass(?:word|wd|phrase|code)?s?|\bcredentials?|\bsecret|\btoken|\bparol|пароль|токен|секрет)`
	proseOf   = `(?:["'”»]|[ \t]+(?:for|of|to|on|для|от|у|к)[ \t]+[^\s:=]+(?:[ \t]+[^\s:=]+)??|[ \t]+[а-яё]+)?`
	proseVerb = `is|was|are|reads|equals|now|still|again|temporarily|just|has|have|had|been|being|be|will|the|set|` +
		`changed|reset|rotated|updated|теперь|был|будет|изменён|сменён`
	proseVerbs = `(?:[ \t]+(?:` + proseVerb + `)){0,4}`
	proseLinks = `(?:[ \t]+(?:is|was|are|reads|equals|now|to|into|as|with|теперь|на|как|это)[ \t]*:?|` +
		`[ \t]*[:=]|[ \t]+(?:[–—-]|->|→))`
	quotes   = "[\"'“”«»`]"
	unquoted = `(?P<v>[^\s"'“”«»\\]+)`

	// proseQuoted: password "correct horse" was refused.
	proseQuoted = proseName + proseOf + proseVerbs + `[ \t]*[:=–—-]*[ \t]*` + quotes + "(?P<v>[^\"'“”«»`\\n]+)" + quotes
	// proseStated: the password of anna was changed to hunter2.
	proseStated = proseName + proseOf + proseVerbs + proseLinks + `[ \t]+` + unquoted
	// proseBeside: password hunter2 does not work.
	proseBeside = proseName + `[ \t]+` + unquoted
)

// proseHints are in small letters, save for Cyrillic, which keeps its case.
var proseHints = []string{
	"pass", "parol", "secret", "token", "credential", "арол", "АРОЛ", "окен", "ОКЕН", "екрет", "ЕКРЕТ",
}

// usual are words that follow the name of a secret in ordinary sentences.
var usual = strings.Fields(`
	a an the and or not no never only also must may can cannot should could would will being been be is are was were has have
	had too very still already now then so as at by for from in into of on to with without while when if it its this that
	your their wrong right correct incorrect invalid valid required missing empty absent present unknown known given set
	unset changed reset expired revoked used unused needed wanted asked checked accepted refused rejected stored kept saved
	sealed hashed masked hidden shown encrypted long short longer shorter weak strong old new older newer same different
	another ready default random generated made done gone lost found failed ok safe secret private public one two three
	не был была уже ещё это нет есть неверный неверен верен задан изменён сброшен слишком короткий пуст нужен истёк принят
	отклонён`)

// unusual leaves out the words of ordinary sentences: "the password is too short", "the token was revoked".
func unusual(value string) bool {
	word := strings.ToLower(strings.Trim(value, ".,;:!?()[]"))
	return word != "" && telling(value) && !slices.Contains(usual, word)
}

// drawn takes only what no ordinary word looks like: "password hunter2", but not "password authentication failed".
func drawn(value string) bool {
	const shortest = 6
	value = strings.TrimRight(value, ".,;:!?)]")
	return len(value) >= shortest && unusual(value) && strings.ContainsAny(value, "0123456789!@#$%^&*+=~?<>|")
}
