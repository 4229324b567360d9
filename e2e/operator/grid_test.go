package operator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var (
	forms     = []string{"table", "plain", "json"}
	languages = []string{"en", "ru"}
)

// ask is one line of a script: a command line of panelctl and how it is asked.
type ask struct {
	args   []string
	worlds []string
	as     string   // "root" or "user"; empty: whoever runs the tests, but "user" in the world without rights
	env    []string // settings beside those of the world
	lines  int      // how many lines of the answer are kept; 0: all
	atOnce bool     // the cells of a world do not wait for each other; for commands that wait long
	text   bool     // the answer is a text in every form: help, or a script for a shell
}

// parseAsk reads the arguments of the script command grid.
func parseAsk(words []string) (ask, error) {
	a := ask{}
	set := flag.NewFlagSet("grid", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	in := set.String("worlds", strings.Join(worlds, ","), "")
	set.StringVar(&a.as, "as", "", "")
	set.IntVar(&a.lines, "lines", 0, "")
	set.BoolVar(&a.text, "text", false, "")
	set.BoolVar(&a.atOnce, "at-once", false, "")
	set.Func("env", "", func(pair string) error { a.env = append(a.env, pair); return nil })
	err := set.Parse(words)
	a.args, a.worlds = set.Args(), strings.Split(*in, ",")
	return a, err
}

// inCell gives each cell settings of its own: {cell} stands for a number.
func (a ask) inCell(i int) ask {
	const first = 2 // 127.0.0.1 is taken
	a.env = slices.Clone(a.env)
	for n, pair := range a.env {
		a.env[n] = strings.ReplaceAll(pair, "{cell}", strconv.Itoa(first+i))
	}
	return a
}

// cell is one answer of panelctl.
type cell struct {
	world, form, language string
	answer                string
}

// run is one start of panelctl.
type run struct {
	program string
	args    []string
	env     []string
	dir     string
	as      string
}

const answersWithin = 30 * time.Second

// said starts panelctl and gives both its outputs and its exit code.
func (r run) said(ctx context.Context) (out, problems string, exit int, err error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	line := append(r.prefix(), append([]string{r.program}, r.args...)...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	if r.as != "root" {
		cmd.Args[0] = "panelctl" // by this name the executable knows that it is not the test
	}
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, &stdout, &stderr
	cmd.Env = append([]string{"PATH=/nonexistent", "LANG=C.UTF-8", "TZ=UTC"}, r.env...)
	if r.as == "root" {
		cmd.Env = append(cmd.Env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin") // for the mounts alone
	}
	if r.as == "user" && os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = nil
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), err
}

// prefix lets root find its own /etc and /opt, which the folder holds.
func (r run) prefix() []string {
	if r.as != "root" {
		return nil
	}
	return inOwnMounts(
		"mount --bind '" + r.dir + "/etc' /etc; mount --bind '" + r.dir + "/opt' /opt; export PATH=/nonexistent",
	)
}

// render is an answer as the golden text shows it: the exit code, the output and, behind "2|", the error stream.
func (a ask) render(form, out, problems string, exit int) (string, error) {
	if form == "json" && !a.text {
		indented, err := readableJSON(out)
		if err != nil {
			return "", fmt.Errorf("--json printed something else: %w: %s", err, out)
		}
		if problems, err = readableJSON(problems); err != nil {
			return "", fmt.Errorf("--json said something else: %w: %s", err, problems)
		}
		out = indented
	}
	text := "exit " + strconv.Itoa(exit) + "\n" + shortened(out, a.lines)
	for line := range strings.Lines(problems) {
		text += "2| " + line
	}
	if strings.Contains(out, "\x1b") || strings.Contains(problems, "\x1b") {
		return "", errors.New("there is colour where nobody can see it")
	}
	if !strings.HasSuffix(text, "\n") {
		text += " (no end of line)\n"
	}
	return text, nil
}

// readableJSON indents documents that must stand each on a line of its own.
func readableJSON(text string) (string, error) {
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		if err := json.Indent(&b, []byte(line), "", "  "); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

func shortened(text string, lines int) string {
	all := strings.SplitAfter(text, "\n")
	if lines == 0 || len(all) <= lines {
		return text
	}
	return strings.Join(all[:lines], "") + "…\n"
}

// table puts equal answers together, so that a reader sees at once what differs: the forms, the languages or the
// worlds.
func table(args []string, cells []cell) string {
	var b strings.Builder
	fmt.Fprintf(&b, "$ %s\n", strings.Join(append([]string{"panelctl"}, args...), " "))
	for len(cells) > 0 {
		answer := cells[0].answer
		equal := func(c cell) bool { return c.answer == answer }
		same := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return !equal(c) })
		b.WriteString("\n" + heading(same) + "\n" + answer)
		cells = slices.DeleteFunc(cells, equal)
	}
	return b.String()
}

// heading names cells: "[up, down | table | en ru]" are four of them.
func heading(cells []cell) string {
	byWorld := map[string][]cell{}
	for _, c := range cells {
		byWorld[c.world] = append(byWorld[c.world], c)
	}
	var order []string
	in := map[string][]string{}
	for _, world := range append(slices.Clone(worlds), others(cells)...) {
		if len(byWorld[world]) == 0 {
			continue
		}
		for _, what := range formsAndLanguages(byWorld[world]) {
			if in[what] == nil {
				order = append(order, what)
			}
			in[what] = append(in[what], world)
		}
	}
	var lines []string
	for _, what := range order {
		lines = append(lines, "["+strings.Join(in[what], ", ")+" | "+what+"]")
	}
	return strings.Join(lines, "\n")
}

func others(cells []cell) []string {
	var names []string
	for _, c := range cells {
		if !slices.Contains(worlds, c.world) && !slices.Contains(names, c.world) {
			names = append(names, c.world)
		}
	}
	return names
}

// formsAndLanguages joins forms that hold the same languages.
func formsAndLanguages(cells []cell) []string {
	in := map[string][]string{}
	for _, form := range forms {
		var spoken []string
		for _, c := range cells {
			if c.form == form {
				spoken = append(spoken, c.language)
			}
		}
		if spoken != nil {
			in[strings.Join(spoken, " ")] = append(in[strings.Join(spoken, " ")], form)
		}
	}
	var all []string
	for _, spoken := range []string{"en ru", "en", "ru"} {
		if in[spoken] != nil {
			all = append(all, strings.Join(in[spoken], " ")+" | "+spoken)
		}
	}
	return all
}
