package operator

import (
	"regexp"
	"strings"
)

// masked are the parts of an answer that differ from run to run or from machine to machine, and what stands for them in
// the golden text. Fixed things of the scripts are of January 2026, so that they stay.
var masked = []struct {
	found *regexp.Regexp
	with  string
}{
	// Times, identifiers and numbers.
	{regexp.MustCompile(`20(?:2[7-9]|[3-8]\d|26-0[2-9]|26-1\d)[-\d]*T\d\d:\d\d:\d\d(?:\.\d+)?Z`), "<time>"},
	{regexp.MustCompile(`(?:20\d\d-\d\d-\d\d|\d\d\.\d\d\.20\d\d)(?: \d\d:\d\d)`), "<date> <clock>"},
	{regexp.MustCompile(`(?:20\d\d-\d\d-\d\d|\d\d\.\d\d\.20\d\d)( \((?:in|через)) \d+`), "<date>$1 <n>"},
	{regexp.MustCompile(`panel-20\d{6}-\d{4}(?:-\d+)?\.tar`), "panel-<time>.tar"},
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}`), "<id>"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "<hash>"},
	{
		regexp.MustCompile(
			`("(?:duration_ms|took_ms|bytes|checked|last_seq|heads|unsealed|uptime_seconds|latency_ms|size_bytes|applied)"): \d+`,
		),
		"$1: <n>",
	},
	{
		regexp.MustCompile(`((?:Entries|Записей|Heads compared|Сверено отметок) +|(?:entries|heads|masked|bytes)\t)\d+`),
		"$1<n>",
	},
	{regexp.MustCompile(`((?:Uptime|Время работы) +|uptime\t)\d+.*`), "$1<uptime>"},
	{regexp.MustCompile(`("uptime"): "[^"]*"`), `$1: "<uptime>"`},
	{
		regexp.MustCompile(`((?:New password|Новый пароль) +|password\t|"password": ")[a-zA-Z0-9]{16}\b`),
		"$1<16 characters>",
	},
	// What is known of the past begins with the first whole minute of a panel.
	{regexp.MustCompile(`("(?:earliest|counted_at)"): (?:null|"<time>")`), `$1: "<null or time>"`},
	// The database server and the platform of whoever runs the tests.
	{
		regexp.MustCompile(
			`((?:database|база данных|базы данных) panel) (?:at local socket|на этой машине|at \S+|на [^\s"]+)`,
		),
		"$1 <where>",
	},
	{regexp.MustCompile(`PostgreSQL [\d.]+, \d+ (?:ms|мс)`), "PostgreSQL <version and time>"},
	{regexp.MustCompile(`("latency_ms": <n>,\s+"version"): "[^"]*"`), `$1: "<version>"`},
	{regexp.MustCompile(`\d+ steps are applied`), "<n> steps are applied"},
	{regexp.MustCompile(`применено шагов: \d+`), "применено шагов: <n>"},
	{regexp.MustCompile(`PostgreSQL \d+, pg_dump in [^"\s]+`), "PostgreSQL <version and folder>"},
	{regexp.MustCompile(`(takes|занимает) \d+ (?:MB|МБ)`), "$1 <size>"},
	{regexp.MustCompile(`linux/(?:amd64|arm64)`), "<platform>"},
	{regexp.MustCompile(`(root or the owner of|root или владелец) [^\s"]+`), "$1 /opt/panel"},
	// What a license has been through so far, and what a bundle holds.
	{regexp.MustCompile(`(?s)"checks": \[\n    \{\n      "at".*?\n  \]`), `"checks": [<one for each look so far>]`},
	{regexp.MustCompile(`((?:Masked|Скрыто) +).*`), "$1<counts>"},
	{regexp.MustCompile(`,\n      "masked": \{[^}]*\}`), ""},
	{regexp.MustCompile(`"masked": \{[^}]*\}`), `"masked": <counts>`},
	{regexp.MustCompile(`, logs/nginx\.log(?: \([^)]*\))?|logs/nginx\.log \([^)]*\), `), ""},
	{regexp.MustCompile(`(?s),\n    \{\n      "name": "logs/nginx\.log".*?\n    \}`), ""},
	{regexp.MustCompile(`(?s)    \{\n      "name": "logs/nginx\.log".*?\n    \},\n`), ""},
	{regexp.MustCompile(`((?:Size|Размер) +)\d+`), "$1<n>"},
	// What Doctor finds on the machine itself: systemd, clock and disks.
	{
		regexp.MustCompile(
			`(?m)^(.*?)(?:OK|Warning|Failed|Skipped|Unknown) +(panel\.service|clock|часы|/var/log|log folder|папка логов) .*\n(?: +→ .*\((?:services\.panel|services\.clock|disk\.logs)\)\n)?`,
		),
		"$1<status> $2  <machine>\n",
	},
	{regexp.MustCompile(`<status> (?:/var/log|log folder|папка логов)  <machine>`), "<status> /var/log  <machine>"},
	{
		regexp.MustCompile(
			`(?m)(?:OK|Warning|Failed) +(/opt/panel/data +)(?:\d+ % of .*|занято .*)\n(?: +→ .*\(disk\.data\)\n)?`,
		),
		"<status> $1<space>\n",
	},
	{regexp.MustCompile(`(?m)^(services\.panel|services\.clock|disk\.logs|disk\.data)\t.*`), "$1\t<machine>"},
	{
		regexp.MustCompile(`(?s)    \{\n      "id": "(services\.panel|services\.clock|disk\.logs|disk\.data)",.*?\n    \}`),
		`    {"id": "$1", <machine>}`,
	},
	{
		regexp.MustCompile(`\d+ OK, \d+ Warning, \d+ Failed, \d+ Skipped, \d+ Unknown · [\d.,]+ [sс]`),
		"<counts and time>",
	},
	{regexp.MustCompile(`(?s)"summary": \{[^}]*\}`), `"summary": <counts>`},
	{regexp.MustCompile(`"host": "[^"]*"`), `"host": "<host>"`},
}

// steady is an answer without what differs: first the words of its world, then what the masks find.
func steady(text string, words [][2]string) string {
	for _, pair := range words {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	for _, m := range masked {
		text = m.found.ReplaceAllString(text, m.with)
	}
	return text
}
