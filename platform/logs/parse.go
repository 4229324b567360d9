package logs

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/platform/pattern"
)

// parse reads what a line says about itself; a line that says nothing keeps its whole text as the message.
func parse(raw, source, component string) Line {
	line := Line{Component: component, Source: source, Message: raw, Raw: raw}
	if strings.HasPrefix(raw, "{") && line.fromJSON() {
		return line
	}
	if component == Nginx {
		line.fromNginx()
		return line
	}
	line.fromConsole()
	return line
}

func (l *Line) fromJSON() bool {
	var members map[string]any
	if json.Unmarshal([]byte(l.Raw), &members) != nil {
		return false
	}
	take := func(name string) string {
		text, _ := members[name].(string)
		delete(members, name)
		return text
	}
	message, stamp := take("msg"), take("time")
	if message == "" {
		message = take("message")
	}
	l.Message, l.Level = message, levelOf(take("level"))
	l.Component = orElse(take("component"), l.Component)
	if at, err := time.Parse(time.RFC3339Nano, stamp); err == nil {
		l.Time = at
	}
	maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	if len(members) > 0 {
		l.Attrs = members
	}
	return true
}

func orElse(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

func levelOf(word string) string {
	switch strings.ToUpper(word) {
	case "DEBUG":
		return "DEBUG"
	case "INFO", "NOTICE":
		return "INFO"
	case "WARN", "WARNING":
		return "WARN"
	case "ERROR", "ERR", "CRIT", "ALERT", "EMERG", "PANIC", "DPANIC", "FATAL":
		return "ERROR"
	}
	return ""
}

var levels = []string{"DEBUG", "INFO", "WARN", "ERROR"}

var (
	nginxError  = pattern.Of(`^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) \[(\w+)\] (?:\d+#\d+: )?`)
	nginxAccess = pattern.Of(`\[(\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "[^"]*" (\d{3})`)
)

func (l *Line) fromNginx() {
	if found := nginxError().FindStringSubmatch(l.Raw); found != nil {
		l.Message, l.Level = l.Raw[len(found[0]):], levelOf(found[2])
		l.Time, _ = time.ParseInLocation("2006/01/02 15:04:05", found[1], time.Local) // the form was matched
		return
	}
	if found := nginxAccess().FindStringSubmatch(l.Raw); found != nil {
		l.Time, _ = time.Parse("02/Jan/2006:15:04:05 -0700", found[1]) // the form was matched
		l.Level = "INFO"
		if found[2][0] == '5' {
			l.Level = "ERROR"
		}
	}
}

// console lines are separated by tabs: time, level, component, message; the component may be absent.
func (l *Line) fromConsole() {
	parts := strings.Split(l.Raw, "\t")
	if len(parts) < 3 || levelOf(parts[1]) == "" {
		return
	}
	at, err := time.Parse(time.RFC3339Nano, parts[0])
	if err != nil {
		return
	}
	l.Time, l.Level, l.Message = at, levelOf(parts[1]), parts[2]
	if len(parts) > 3 {
		l.Component, l.Message = parts[2], strings.Join(parts[3:], " ")
	}
}

// Text is the message followed by its values, each as name=value, sorted by name.
func (l Line) Text() string {
	var text strings.Builder
	text.WriteString(l.Message)
	for _, name := range slices.Sorted(maps.Keys(l.Attrs)) {
		text.WriteString(" " + name + "=" + valueText(l.Attrs[name]))
	}
	return text.String()
}

func valueText(value any) string {
	if text, is := value.(string); is {
		if text == "" || strings.ContainsAny(text, " \t\n\"=") {
			return strconv.Quote(text)
		}
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return string(encoded)
}
