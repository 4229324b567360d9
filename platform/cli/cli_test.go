package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"panel/platform/doctor/checks"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func lookup(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func answer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const running = `{"status":"running","version":"1.4.2","database":"connected","setup_done":true,"uptime":"12d4h31m","uptime_seconds":1053060}`

// up answers as a panel that knows one token.
func up(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		answer(401, `{"status":401,"code":"no_session","detail":"no session","request_id":"r1"}`)(w, r)
		return
	}
	answer(200, running)(w, r)
}

func run(t *testing.T, env Env, args ...string) (exit int, out, problems string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env.Out, env.Err = &stdout, &stderr
	exit = Run(context.Background(), env, args)
	return exit, stdout.String(), stderr.String()
}

// Rule: --table is the default at a terminal, --plain in a pipe.
func TestFormFollowsTheTerminal(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(up))
	defer server.Close()
	env := Env{Getenv: lookup(map[string]string{
		"PANEL_API_URL": server.URL, "PANEL_API_TOKEN": "secret",
		"LANG": "en_GB.UTF-8",
	})}
	_, piped, _ := run(t, env, "status")
	require.True(t, strings.HasPrefix(piped, "status\trunning\n"))
	env.Terminal = Terminal{In: true, Out: true, Err: true, Width: 80}
	_, shown, _ := run(t, env, "status")
	require.True(t, strings.HasPrefix(shown, "Status      \x1b[32m●\x1b[0m running\n"))
}

// A line of a command that stands alone starts without modules; every other line has all of them, once.
func TestModulesAreMadeForTheLinesThatNeedThem(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(up))
	defer server.Close()
	asked := 0
	env := Env{Version: "1.4.2", Getenv: lookup(map[string]string{
		"PANEL_API_URL": server.URL, "PANEL_API_TOKEN": "secret",
	})}
	env.Modules = func(env Env) Env {
		asked++
		env.Commands = append(env.Commands, func(Env) []*cobra.Command {
			return []*cobra.Command{{
				Use: "notes", Short: "Notes", RunE: func(cmd *cobra.Command, _ []string) error {
					cmd.Println("a note")
					return nil
				},
			}}
		})
		return env
	}
	for _, line := range []string{"version", "v", "--plain version", "version --json", "--api " + server.URL + " v"} {
		exit, out, problems := run(t, env, strings.Fields(line)...)
		require.Equal(t, ExitDone, exit, problems)
		require.Contains(t, out, "1.4.2")
		require.Zero(t, asked, line)
	}
	for line, says := range map[string]string{
		"notes": "a note", "help": "notes", "--help": "notes", "status": "running", "completion bash": "panelctl",
	} {
		asked = 0
		exit, out, problems := run(t, env, strings.Fields(line)...)
		require.Equal(t, ExitDone, exit, problems)
		require.Contains(t, out+problems, says, line)
		require.Equal(t, 1, asked, line)
	}
	exit, _, problems := run(t, env, "note")
	require.Equal(t, ExitUsage, exit)
	require.Contains(t, problems, "panelctl notes", "a command that is misspelt is guessed among all of them")
}

// Two modules may add commands to one group; each of them has its own, and the group stands once.
func TestModulesShareAGroup(t *testing.T) {
	t.Parallel()
	adds := func(name string) func(Env) []*cobra.Command {
		return func(Env) []*cobra.Command {
			group := &cobra.Command{Use: "notes", Short: "Notes"}
			group.AddCommand(&cobra.Command{Use: name, Short: name, Run: func(cmd *cobra.Command, _ []string) {
				cmd.Println("this is", name)
			}})
			return []*cobra.Command{group}
		}
	}
	env := Env{Commands: []func(Env) []*cobra.Command{adds("list"), adds("import")}}
	for _, name := range []string{"list", "import"} {
		exit, out, problems := run(t, env, "notes", name)
		require.Equal(t, ExitDone, exit, problems)
		require.Contains(t, out, "this is "+name)
	}
	_, out, _ := run(t, env, "help")
	require.Equal(t, 1, strings.Count(out, "notes "), out)
}

// Rule: NO_COLOR, TERM=dumb and a pipe mean no colour; CLICOLOR_FORCE forces it.
func TestColour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vars     map[string]string
		terminal bool
		coloured bool
	}{
		{map[string]string{}, true, true},
		{map[string]string{"NO_COLOR": "1"}, true, false},
		{map[string]string{"TERM": "dumb"}, true, false},
		{map[string]string{}, false, false},
		{map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
	} {
		env := Env{Getenv: lookup(c.vars), Terminal: Terminal{Out: c.terminal}, flags: &flags{table: true}}
		require.Equal(t, c.coloured, env.coloured(), "%v", c)
	}
}

// Specification, Command-line interface: "PANEL_LANG=ru forces Russian"; "otherwise the language is taken from LANG".
// So no other value of PANEL_LANG says anything, and a word that begins like ru is not ru.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, panel := range []string{"", "en", "ru", "russian", "run", "de"} {
		for lang, says := range map[string]bool{
			"": false, "C.UTF-8": false, "en_GB.UTF-8": false, "rue_UA.UTF-8": false, "russian": false, "run": false,
			"ru": true, "ru_RU.UTF-8": true, "ru_UA": true, "ru.KOI8-R": true, "RU_ru": true, "ru@x": true,
		} {
			env := Env{Getenv: lookup(map[string]string{"PANEL_LANG": panel, "LANG": lang})}
			require.Equal(t, panel == "ru" || says, env.Russian(), "PANEL_LANG=%s LANG=%s", panel, lang)
			require.False(t, env.inEnglish().Russian(), "PANEL_LANG=%s LANG=%s", panel, lang)
			env.Getenv = Speaking(func() bool { return true }, env.Getenv)
			require.True(t, env.Russian())
		}
	}
}

// Who chooses a language keeps the letters that the terminal can show.
func TestAChosenLanguageKeepsTheLettersOfTheLocale(t *testing.T) {
	t.Parallel()
	for outside, inside := range map[string]string{"ru_RU.UTF-8": "C.UTF-8", "ru": "", "": ""} {
		spoken := Speaking(func() bool { return false }, lookup(map[string]string{"LANG": outside, "HOME": "/root"}))
		require.Equal(t, inside, spoken("LANG"))
		require.Equal(t, "/root", spoken("HOME"))
	}
}

// Rule: without a terminal panelctl alone prints help and ends with 2.
func TestBare(t *testing.T) {
	t.Parallel()
	exit, out, _ := run(t, Env{})
	require.Equal(t, ExitUsage, exit)
	require.Contains(t, out, "panelctl <command>")
	exit, _, _ = run(t, Env{Terminal: Terminal{In: true, Out: true}})
	require.Equal(t, ExitDone, exit)
}

// Rule: a token is never shown, not even by --debug; on the command line it brings a note.
func TestDebugMasksTheToken(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(up))
	defer server.Close()
	env := Env{Getenv: lookup(map[string]string{"PANEL_API_URL": server.URL})}
	exit, out, problems := run(t, env, "status", "--debug", "--token", "canary-secret")
	require.Equal(t, ExitNotAllowed, exit)
	require.NotContains(t, out+problems, "canary")
	require.Contains(t, problems, "> Authorization: Bearer ***")
	require.Contains(t, problems, "PANEL_API_TOKEN is safer")
}

// Every command of the tree says with --verbose and --debug what it does; none says so without.
func TestEveryCommandSaysWhatItDoes(t *testing.T) {
	t.Parallel()
	env := Env{
		Getenv: lookup(map[string]string{"PANEL_API_URL": "http://127.0.0.1:1"}),
		Serve:  func(context.Context) error { return nil },
	}
	paths := 0
	for _, cmd := range Tree(env).Commands() {
		if cmd.Name() == "completion" {
			continue // takes an argument; its group is asked in the scripts
		}
		paths++
		for _, flag := range []string{"--verbose", "--debug"} {
			_, _, problems := run(t, env, cmd.Name(), flag)
			require.Contains(t, problems, "running panelctl "+cmd.Name(), "%s %s", cmd.Name(), flag)
		}
		_, _, problems := run(t, env, cmd.Name())
		require.NotContains(t, problems, "running panelctl")
	}
	require.Greater(t, paths, 6)
}

// Doctor tells with --verbose of every check, and with --debug of the requests that the checks make, without secrets.
func TestDoctorIsVerbose(t *testing.T) {
	t.Parallel()
	env := Env{Getenv: lookup(map[string]string{
		"PANEL_DATA_DIR":   t.TempDir(),
		"PANEL_UPDATE_URL": "http://anna:canary-secret@127.0.0.1:1/manifest.json?token=canary-query",
	})}
	_, _, quiet := run(t, env, "doctor", "--plain")
	require.NotContains(t, quiet, "network.")
	_, _, verbose := run(t, env, "doctor", "--plain", "--verbose")
	for _, check := range checks.All() {
		require.Regexp(t, "(?m)^· "+check.ID+": [A-Z][a-z]+|^· "+check.ID+": OK", verbose)
	}
	require.NotContains(t, verbose, "> GET")
	_, _, debug := run(t, env, "doctor", "--plain", "--debug")
	require.Contains(t, debug, "> GET http://anna:xxxxx@127.0.0.1:1/manifest.json\n")
	require.NotContains(t, debug, "canary")
}

// Rule: a token goes only to the host that the operator named.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	reached := false
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer elsewhere.Close()
	server := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	defer server.Close()
	exit, _, _ := run(t, Env{Getenv: lookup(map[string]string{"PANEL_API_URL": server.URL, "PANEL_API_TOKEN": "t"})},
		"status")
	require.Equal(t, ExitFailed, exit)
	require.False(t, reached)
}

// Rule: serve ends with 0 after a signal, with 3 on an unreachable database and with 1 on a taken port.
func TestServe(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	serving, drained := make(chan struct{}), false
	env := Env{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}, Serve: func(ctx context.Context) error {
		close(serving)
		<-ctx.Done()
		drained = true
		return ctx.Err()
	}}
	ended := make(chan int, 1)
	go func() { ended <- Run(ctx, env, []string{"serve"}) }()
	<-serving
	require.Empty(t, ended, "it serves until it is told to stop")
	cancel()
	require.Equal(t, ExitDone, <-ended)
	require.True(t, drained, "it ends after the panel has")
	env.Serve = func(context.Context) error { return Unreachable(Say("no readable JSON")) }
	require.Equal(t, ExitUnreachable, Run(context.Background(), env, []string{"serve"}))
	env.Serve = func(context.Context) error { return errors.New("the port is taken") }
	require.Equal(t, ExitFailed, Run(context.Background(), env, []string{"serve"}))
}

// Rule: an interrupted command ends with 130.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env := Env{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}
	require.Equal(t, ExitInterrupted, Run(ctx, env, []string{"status"}))
}

// Rule: 409 ends with 5, whatever command asked.
func TestConflict(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(answer(409, `{"code":"license_missing","detail":"no license"}`))
	defer server.Close()
	exit, _, problems := run(t, Env{Getenv: lookup(map[string]string{"PANEL_API_URL": server.URL})}, "status")
	require.Equal(t, ExitConflict, exit)
	require.Contains(t, problems, "license_missing")
}

// Rule: with --json the error stream holds documents too, in English, also when the flags themselves are wrong.
func TestErrorsAreDocumentsWithJSON(t *testing.T) {
	t.Parallel()
	env := Env{Getenv: lookup(map[string]string{"PANEL_API_URL": "http://127.0.0.1:1", "PANEL_LANG": "ru"})}
	for problem, args := range map[string][]string{
		"cannot reach the panel at http://127.0.0.1:1": {"status", "--json"},
		"unknown flag --nope":                          {"status", "--nope", "--json"},
		"unknown command \"stauts\"":                   {"--json", "stauts"},
	} {
		exit, out, problems := run(t, env, args...)
		require.Empty(t, out)
		var said remarkDocument
		require.NoError(t, json.Unmarshal([]byte(problems), &said), problems)
		require.Equal(t, remarkDocument{
			Schema: "panelctl.message/v1", Level: "error", Message: problem,
			Cause: said.Cause, Try: said.Try, Exit: exit,
		}, said)
		require.NotEmpty(t, said.Try)
	}
}

// What the system says is translated as far as the catalogue knows it, whole or in parts.
func TestTextsFromElsewhereAreTranslated(t *testing.T) {
	t.Parallel()
	env := Env{Getenv: lookup(map[string]string{"PANEL_LANG": "ru"})}
	for text, translated := range map[string]string{
		"mkdir /x: permission denied": "mkdir /x: недостаточно прав",
		"PANEL_PORT is not usable: it must be a whole number from 1 to 65535 (port of the panel); correct it in the environment of the panel and start again": "PANEL_PORT не годится: нужно — целое число от 1 до 65535; исправьте в окружении панели и запустите снова",
		`the database "panel" at db: 5 cannot be used: connect: connection refused; check PANEL_DB_URL and that the server runs`:                              `базой данных "panel" на db: 5 нельзя воспользоваться: connect: соединение отклонено; проверьте PANEL_DB_URL и что сервер работает`,
		"100%s of it": "100%s of it",
	} {
		require.Equal(t, translated, env.Text(English(text)))
		require.Equal(t, text, Env{Getenv: lookup(nil)}.Text(English(text)))
	}
}

// Modules bring commands that use the same forms and the same client.
func TestModuleCommands(t *testing.T) {
	t.Parallel()
	greet := func(env Env) []*cobra.Command {
		return []*cobra.Command{{Use: "greet", RunE: func(*cobra.Command, []string) error {
			return env.Record(map[string]string{"schema": "panelctl.greet/v1"}, Field{
				Key: "word", Label: "Version",
				Value: "hello",
			})
		}}}
	}
	_, out, _ := run(t, Env{Commands: []func(Env) []*cobra.Command{greet}}, "greet", "--json")
	require.True(t, json.Valid([]byte(out)))
	_, out, _ = run(t, Env{Commands: []func(Env) []*cobra.Command{greet}}, "greet")
	require.Equal(t, "word\thello\n", out)
}

// Every English text of the command line has a Russian one, also those of platform and modules.
func TestCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	known := maps.Clone(russian())
	for _, catalogue := range catalogues(t) {
		maps.Copy(known, catalogue)
	}
	var missing []string
	for _, text := range textsOfSource(t) {
		if known[text] == "" {
			missing = append(missing, text)
		}
	}
	require.Empty(t, missing, "no Russian for\n%s", strings.Join(missing, "\n"))
	for _, check := range checks.All() {
		require.NotEmpty(t, known[check.Title], "no Russian for %q", check.Title)
	}
	checkHelpTexts(t)
}

func checkHelpTexts(t *testing.T) {
	t.Helper()
	env := Env{}.withDefaults()
	for _, cmd := range append(Root(&env).Commands(), Root(&env)) {
		require.NotEmpty(t, russian()[cmd.Short], "no Russian for %q", cmd.Short)
		require.True(t, cmd.Long == "" || russian()[cmd.Long] != "", "no Russian for %q", cmd.Long)
	}
}

// textsOfSource collects the texts that the sources hand to T, Say, cli.Say and doctor.Say.
func textsOfSource(t *testing.T) []string {
	t.Helper()
	var texts []string
	for _, folder := range []string{"../../platform", "../../modules"} {
		require.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") {
				texts = append(texts, textsOfFile(t, path)...)
			}
			return err
		}))
	}
	return texts
}

func textsOfFile(t *testing.T, path string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	own := parsed.Name.Name == "cli" || parsed.Name.Name == "doctor" || parsed.Name.Name == "checks"
	var texts []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch node := n.(type) {
		case *ast.CallExpr:
			if len(node.Args) > 0 && says(node, own) {
				texts = append(texts, textOf(node.Args[0]))
			}
			if function, is := node.Fun.(*ast.SelectorExpr); is && strings.HasSuffix(function.Sel.Name, "Var") &&
				len(node.Args) == 4 {
				texts = append(texts, textOf(node.Args[3]))
			}
		case *ast.KeyValueExpr:
			if key, is := node.Key.(*ast.Ident); is && (key.Name == "Short" || key.Name == "Long" ||
				key.Name == "Label") {
				texts = append(texts, textOf(node.Value))
			}
		}
		return true
	})
	return slices.DeleteFunc(texts, func(text string) bool { return text == "" })
}

// textOf is the value of a literal or of literals added up; empty for anything else.
func textOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		if left, right := textOf(e.X), textOf(e.Y); left != "" && right != "" {
			return left + right
		}
	}
	return ""
}

// says recognises Say and T of this package and of doctor, from inside and from outside.
func says(call *ast.CallExpr, own bool) bool {
	switch function := call.Fun.(type) {
	case *ast.Ident:
		return own && (function.Name == "Say" || function.Name == "ok" || function.Name == "skipped")
	case *ast.SelectorExpr:
		owner, is := function.X.(*ast.Ident)
		return function.Sel.Name == "T" && own || is && function.Sel.Name == "Say" && (owner.Name == "cli" ||
			owner.Name == "doctor")
	}
	return false
}
