package operator

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/cli"
	"panel/platform/database/dbtest"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// scripts are those of the core, and those that modules keep in their own folders.
func scripts(t testing.TB) (files []string) {
	t.Helper()
	for _, pattern := range []string{"testdata/script/*.txtar", "../../modules/*/testdata/script/*.txtar"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, found, pattern)
		files = append(files, found...)
	}
	return files
}

// scene is what one script has set up so far.
type scene struct {
	stage   *stage
	places  map[string]place
	before  []string // a command line that comes before each cell of the next grid
	forget  bool     // no update may wait before a cell of the next grid
	env     []string // settings of the panels that are installed from here on
	speaks  string   // the setting that names the only modules of panelctl; empty: all
	closers []func() error
}

// stage is what all scripts share.
type stage struct {
	t        testing.TB
	program  string // panelctl of whoever runs the tests
	stranger string // panelctl where nobody who may run it owns anything
	shared   func() (*installed, error)
}

func newStage(t testing.TB) *stage {
	t.Helper()
	program, err := exec.LookPath("panelctl")
	require.NoError(t, err)
	s := &stage{t: t, program: program, stranger: copyOfThis(t)}
	s.shared = sync.OnceValues(func() (*installed, error) {
		i, err := install(t.Context(), program, dbtest.Empty(t))
		t.Cleanup(func() { require.NoError(t, i.close()) })
		return i, err
	})
	return s
}

// copyOfThis lies directly in /tmp: the owner of the folder above an executable counts as the owner of the
// installation.
func copyOfThis(t testing.TB) string {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer self.Close()
	file, err := os.CreateTemp("/tmp", "panelctl-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.Remove(file.Name())) })
	_, err = io.Copy(file, self)
	require.NoError(t, errors.Join(err, file.Chmod(0o755), file.Close()))
	return file.Name()
}

// Every command in every form, both languages and all three worlds says exactly what its golden text says, and ends
// with that exit code. With -update the texts are written anew; read them before you commit them. Specification,
// Command-line interface: --api has the "default http://localhost:8080"; status "exits non-zero when status is not
// running"; version asks the running panel "by a live API call"; --level "prints a warning".
func TestScripts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	testscript.Run(t, testscript.Params{
		Files: scripts(t), UpdateScripts: *update, RequireUniqueNames: true, ContinueOnError: true,
		Setup: func(env *testscript.Env) error { return s.setUp(env) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"panel": inScene(
				(*scene).panel,
			), "grid": inScene((*scene).grid), "before": inScene((*scene).note), "forget": inScene((*scene).forgetting),
			"history":  inScene((*scene).history),
			"releases": inScene((*scene).releases), "answers": inScene((*scene).answers),
			"modules": inScene((*scene).modules),
		},
	})
}

type sceneKey struct{}

func inScene(do func(*scene, *testscript.TestScript, []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		s, is := ts.Value(sceneKey{}).(*scene)
		if !is {
			ts.Fatalf("there is no scene")
		}
		ts.Check(do(s, ts, args))
	}
}

func (s *stage) setUp(env *testscript.Env) error {
	one := &scene{stage: s, places: map[string]place{}}
	env.Values[sceneKey{}] = one
	env.Defer(func() {
		for _, end := range slices.Backward(one.closers) {
			if err := end(); err != nil {
				env.T().Fatal(err)
			}
		}
	})
	return one.placeDown()
}

func (s *scene) placeDown() error {
	p, err := placeDown()
	s.places[down] = p
	s.closers = append(s.closers, func() error { return os.RemoveAll(p.folder) })
	return err
}

// panel opens the worlds with a panel: "panel" is the one that scripts share and leave as it is, "panel own" is another
// one, "panel new" one that nobody has set up yet.
func (s *scene) panel(ts *testscript.TestScript, args []string) error {
	i, err := s.installed(args)
	if err != nil {
		return err
	}
	ts.Setenv("LICENSE_KEY", i.key)
	s.places[up] = i.place
	if i.stand == nil {
		return nil
	}
	stranger, end, err := i.closed()
	s.places[noRights], s.closers = stranger, append(s.closers, end)
	return err
}

func (s *scene) installed(args []string) (i *installed, err error) {
	t := s.stage.t
	switch strings.Join(args, " ") {
	case "":
		return s.stage.shared()
	case "own":
		i, err = install(t.Context(), s.stage.program, dbtest.Empty(t), s.env...)
	case "new":
		i, err = unpack(t.Context(), s.stage.program, dbtest.Empty(t), s.env...)
	default:
		return nil, errors.New("panel [own | new]")
	}
	s.closers = append(s.closers, i.close)
	return i, err
}

// note keeps a command line that puts things right before each cell of the next grid.
func (s *scene) note(_ *testscript.TestScript, args []string) error {
	s.before = slices.Clone(args)
	return nil
}

// forgetting takes the waiting update away before each cell of the next grid.
func (s *scene) forgetting(*testscript.TestScript, []string) error {
	s.forget = true
	return nil
}

// modules keeps all other modules out of panelctl, and out of the panels that are installed from here on, so that a
// text which lists something of every module stays as it is when one is added: "modules flows license".
func (s *scene) modules(_ *testscript.TestScript, args []string) error {
	only := speaking + "=" + strings.Join(args, " ")
	s.speaks, s.env = only, append(s.env, only)
	return nil
}

// history gives the panel a past of updates.
func (s *scene) history(ts *testscript.TestScript, args []string) error {
	return os.WriteFile(filepath.Join(s.places[up].data(), "update-journal.jsonl"), []byte(ts.ReadFile(args[0])), 0o644)
}

// releases opens a release server with one version for the panels that are installed from here on.
func (s *scene) releases(_ *testscript.TestScript, args []string) error {
	settings, end, err := releases(args[0])
	s.env, s.closers = append(s.env, settings...), append(s.closers, end)
	return err
}

// answers opens a world of its own name, in which something answers every request with a status and the text of a file.
func (s *scene) answers(ts *testscript.TestScript, args []string) error {
	const want = 3
	if len(args) != want {
		return errors.New("answers name status file")
	}
	status, err := strconv.Atoi(args[1])
	body := ts.ReadFile(args[2])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	s.closers = append(s.closers, func() error { server.Close(); return nil })
	p := s.places[down]
	address := strings.TrimPrefix(server.URL, "http://")
	p.env = append(slices.Clone(p.env), "PANEL_API_URL="+server.URL)
	p.words = append(slices.Clone(p.words), [2]string{address, "127.0.0.1:18080"})
	s.places[args[0]] = p
	return err
}

// grid asks one command in its worlds, all forms and both languages; the golden text is its output.
func (s *scene) grid(ts *testscript.TestScript, args []string) error {
	a, err := parseAsk(args)
	if err != nil {
		return err
	}
	var cells []cell
	for _, world := range a.worlds {
		p, open := s.places[world]
		if !open {
			return fmt.Errorf("the world %q is not open", world)
		}
		answered, err := s.world(a, p, world)
		if err != nil {
			return err
		}
		cells = append(cells, answered...)
	}
	s.before, s.forget = nil, false
	_, err = io.WriteString(ts.Stdout(), steady(table(a.args, cells), s.places[up].words))
	return err
}

// world asks a command in one world.
func (s *scene) world(a ask, p place, world string) ([]cell, error) {
	cells, failures := make([]cell, len(forms)*len(languages)), make([]error, len(forms)*len(languages))
	var asked sync.WaitGroup
	for i := range cells {
		form, language := forms[i/len(languages)], languages[i%len(languages)]
		asked.Go(func() {
			answer, err := s.answer(a.inCell(i), p, world, form, language)
			cells[i] = cell{world, form, language, answer}
			if err != nil {
				failures[i] = fmt.Errorf("%s, %s, %s: %w", world, form, language, err)
			}
		})
		if !a.atOnce {
			asked.Wait()
		}
	}
	asked.Wait()
	return cells, errors.Join(failures...)
}

func (s *scene) answer(a ask, p place, world, form, language string) (string, error) {
	ctx := context.WithoutCancel(s.stage.t.Context())
	r := run{program: s.stage.program, args: append([]string{"--" + form}, a.args...), dir: p.folder, as: a.as}
	r.env = append(slices.Clone(p.env), "PANEL_LANG="+language)
	for _, pair := range a.env {
		r.env = append(r.env, strings.ReplaceAll(pair, installation, p.folder))
	}
	if s.speaks != "" {
		r.env = append(r.env, s.speaks)
	}
	if r.as == "" && world == noRights {
		r.as = "user"
	}
	if r.as == "user" {
		r.program = s.stage.stranger
	}
	if s.forget {
		_ = os.Remove(s.places[up].setting("PANEL_UPDATE_REQUEST")) // there may be none
	}
	if s.before != nil {
		first := run{program: s.stage.program, args: s.before, env: s.places[up].env, dir: s.places[up].folder}
		if _, problems, exit, err := first.said(ctx); err != nil || exit != 0 {
			return "", fmt.Errorf("panelctl %v ended with %d: %s: %w", s.before, exit, problems, err)
		}
	}
	out, problems, exit, err := r.said(ctx)
	if err != nil {
		return "", err
	}
	text, err := a.render(form, out, problems, exit)
	return steady(text, p.words), err
}

// A command that has no golden text in some cell is a command that nobody has read. Write its lines into a file of the
// module's testdata/script; go test ./e2e/operator -run TestScripts -update fills in the texts.
func TestEveryCommandIsInEveryCell(t *testing.T) {
	t.Parallel()
	root := cli.Tree(app.CommandLine(cli.Env{}, modules.All()))
	seen := map[string][]string{}
	for _, a := range asked(t) {
		cmd, _, err := root.Find(a.args)
		require.NoError(t, err)
		seen[cmd.CommandPath()] = append(seen[cmd.CommandPath()], a.worlds...)
	}
	eachCommand(root, func(cmd *cobra.Command) {
		require.Subset(t, seen[cmd.CommandPath()], worlds, "%s has no golden text in some world", cmd.CommandPath())
	})
}

func eachCommand(cmd *cobra.Command, do func(*cobra.Command)) {
	do(cmd)
	for _, sub := range cmd.Commands() {
		eachCommand(sub, do)
	}
}

// asked are the grids of all scripts whose output is compared with a text that the script holds.
func asked(t *testing.T) []ask {
	t.Helper()
	var all []ask
	for _, file := range scripts(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		lines := strings.Split(string(archive.Comment), "\n")
		for n, line := range lines {
			words := strings.Fields(line)
			if len(words) == 0 || words[0] != "grid" {
				continue
			}
			a, err := parseAsk(words[1:])
			require.NoError(t, err, line)
			golden, compared := strings.CutPrefix(lines[n+1], "cmp stdout ")
			require.True(t, compared, "%s: %s: the next line compares the output", file, line)
			require.True(
				t,
				slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == golden }),
				"%s holds no %s",
				file,
				golden,
			)
			all = append(all, a)
		}
	}
	return all
}
