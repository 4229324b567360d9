package support

import (
	"strings"

	"panel/platform/pattern"
)

// rule recognises secrets by how they are written; the group named v is the secret, or the whole match. It is tried
// only on a line that has one of its hints, in small letters, because most lines have none and logs are long.
type rule struct {
	kind  string
	hints []string
	match pattern.Pattern
	sure  func(string) bool // nil means always
}

// secretNames are the words by which settings, members and parameters say that their value is secret.
const secretNames = `password|passwd|passwort|pgpass|\bpwd|pass_?phrase|парол|secret|token|api_?key|access_?key|` +
	`private_?key|master_?key|license_?key|secret_?key|short_?id|psk|credentials?|session|cookie|otp|recovery_?codes?|` +
	`db_?url|\bdsn|signature|authorization|x-api-key|\bkey`

// passNames are shorter words for a password. Unlike secretNames they count only as a whole or at the end of a name,
// where they are no part of "passed" or "passive".
const passNames = `pass[_-]?\d*|[_.-]pwd?|\bpw`

const (
	anyName   = `(?i)(?:[\wа-яё.-]*(?:` + secretNames + `)[\wа-яё.-]*|[\w.-]*(?:` + passNames + `))`
	nameEnds  = `(?:\\*["'])?\s*(?:[:=]|%3a|%3d)[ \t]*\[?`
	headerIs  = `\\*["']?\s*[:=]\s*\\*["']?\[?\\*["']?`
	pemBegins = `-----BEGIN [A-Z ]*PRIVATE KEY-----`
	pemEnds   = `(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`

	// A line of .pgpass: host:port:database:user:password.
	pgpassHost = `(?:\blocalhost|\*|[\w-]+(?:\.[\w-]+)+|/[\w./-]+)`
	pgpassLine = pgpassHost + `:(?:\d{2,5}|\*):(?:[a-zA-Z_][\w-]*|\*):(?:[a-zA-Z_][\w-]*|\*):(?P<v>[^\s:"'\\]+)`
)

// secretName recognises a name in the environment of the process, where ordinary names such as PWD stand too.
var secretName = pattern.Of(`(?i)pass|_pwd?$|token|secret|api_?key|private_?key|credential`)

// nameHints are parts of secretNames and passNames in small letters, save for Cyrillic, which keeps its case.
var nameHints = []string{
	"pass", "pw", "арол", "АРОЛ", "secret", "token", "key", "psk", "cred", "session", "cookie", "otp", "recovery",
	"url", "dsn",
	"signature", "authorization", "short",
}

var rules = []rule{
	{kindKey, []string{"private key-----"}, pattern.Of(pemBegins + `(?s:.*?)` + pemEnds), nil},
	{kindToken, []string{"://"}, pattern.Of(
		`(?i)\b(?:vless|vmess|trojan|ssr?|hysteria2?|hy2|tuic|wireguard)://(?P<v>[^\s"'<>\\]+)`), nil},
	{kindPassword, []string{"://"}, pattern.Of(`(?i)\b[a-z][a-z0-9+.-]*://[^\s/@:"'<>]*:(?P<v>[^\s/@"'<>]+)@`), nil},
	{kindToken, []string{"authorization"}, pattern.Of(
		`(?i)\b(?:proxy-)?authorization` + headerIs + `(?:(?:bearer|basic|token|digest)\s+)?(?P<v>[^\s"'\\,\]]+)`), nil},
	{kindToken, []string{"cookie"}, pattern.Of(
		`(?i)\b(?:set-)?cookie\\*["']?\s*:\s*\\*["']?\[?\\*["']?(?P<v>[^"'\n\\\]]+)`), nil},
	{kindToken, []string{"bearer", "basic"}, pattern.Of(`(?i)\b(?:bearer|basic)\s+(?P<v>[a-z0-9._~+/=-]{6,})`), nil},
	{kindToken, []string{"--", " -"}, pattern.Of(
		`(?i)--?[a-z-]*(?:password|passwd|token|secret|api-key|license-key)[a-z-]*\s+(?P<v>[^\s"'-][^\s"']*)`), nil},
	{kindToken, []string{"eyj"}, pattern.Of(`\beyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){1,4}`), nil},
	{kindKey, []string{"pnl-"}, pattern.Of(`(?i)\bPNL(?:-[A-Z0-9]{4,}){2,}`), nil},
	{kindKey, []string{"age-secret"}, pattern.Of(`(?i)\bAGE-SECRET-KEY-1[A-Z0-9]+`), nil},
	{kindToken, []string{"gh", "xox", "sk-", "akia", "asia", "glpat", "sg."}, pattern.Of(
		`\b(?:gh[pousr]_|github_pat_|xox[a-z]-|sk-|AKIA|ASIA|glpat-|SG\.)[A-Za-z0-9_.-]{12,}`), nil},
	{kindPassword, []string{"$"}, pattern.Of(`\$(?:argon2[a-z]*|2[aby]|scrypt|6|5|1)\$[A-Za-z0-9./+=,$-]+`), nil},
	// A client's subscription URL ends with a token that opens connections.
	{kindToken, []string{"/s/", `/s\/`, "%2fs%2f", "/sub/", `/sub\/`, "%2fsub%2f"}, pattern.Of(
		`(?i)(?:/|%2f)s(?:ub)?(?:\\?/|%2f)+(?P<v>[a-z0-9_=~.-]+)`), telling},
	{"", nameHints, pattern.Of(anyName + nameEnds), telling},
	{kindPassword, []string{":"}, pattern.Of(pgpassLine), nil},
	{kindPassword, proseHints, pattern.Of(proseQuoted), telling},
	{kindPassword, proseHints, pattern.Of(proseStated), unusual},
	{kindPassword, proseHints, pattern.Of(proseBeside), drawn},
	// A random UUID opens a connection to a server; those that rise with time are only names.
	{kindID, []string{"-4"}, pattern.Of(
		`(?i)\b[0-9a-f]{8}(?P<v>-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})\b`), nil},
}

// telling leaves out values that tell a state and hide nothing.
func telling(value string) bool {
	switch strings.ToLower(value) {
	case "", "true", "false", "null", "nil", "none", "yes", "no", "set", "unset", "-", "0", "1", "{", "[", "[]", "{}":
		return false
	}
	return !strings.HasPrefix(value, "***")
}

// kindOf tells by its name what a value is.
func kindOf(name string) string {
	name = strings.ToLower(name)
	for _, part := range []string{"pass", "pw", "парол", "url", "dsn"} {
		if strings.Contains(name, part) {
			return kindPassword
		}
	}
	if strings.Contains(name, "key") {
		return kindKey
	}
	return kindToken
}
