// Command pages writes what a package installs beside an executable: manual pages and completions for three shells.
//
// Usage: pages <folder> <panel-agent executable of this machine>
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"panel/modules"
	"panel/platform/app"
	"panel/platform/cli"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pages <folder> <panel-agent executable>")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func write(folder, agent string) error {
	return errors.Join(panelctl(filepath.Join(folder, "panelctl")), panelAgent(filepath.Join(folder, "panel-agent"),
		agent))
}

// panelctl comes from the command tree itself.
func panelctl(folder string) error {
	root := cli.Tree(app.CommandLine(cli.Env{Version: "", Out: io.Discard, Err: io.Discard}, modules.All()))
	root.DisableAutoGenTag = true
	if err := manuals(root, filepath.Join(folder, "man")); err != nil {
		return err
	}
	for shell, generate := range map[string]func(io.Writer) error{
		"bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":  root.GenZshCompletion,
		"fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	} {
		var script bytes.Buffer
		if err := generate(&script); err != nil {
			return fmt.Errorf("write the completion for %s: %w", shell, err)
		}
		if err := file(filepath.Join(folder, shell), script.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func manuals(cmd *cobra.Command, folder string) error {
	var page bytes.Buffer
	// A fixed date: the same sources give the same package.
	header := &doc.GenManHeader{Section: "1", Source: "Panel", Manual: "Panel", Date: &time.Time{}}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return fmt.Errorf("write the manual of %s: %w", cmd.CommandPath(), err)
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1.gz"
	if err := file(filepath.Join(folder, name), zipped(page.Bytes())); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := manuals(sub, folder); err != nil {
			return err
		}
	}
	return nil
}

var commandLine = regexp.MustCompile(`(?m)^  ([a-z-]+) {2,}`)

// panelAgent asks the executable: what it links is not linked here.
func panelAgent(folder, executable string) error {
	overview, err := ask(executable, "--help")
	if err != nil {
		return err
	}
	page := bytes.NewBufferString(".TH PANEL-AGENT 1 \"\" Panel Panel\n.SH NAME\npanel-agent \\- the agent of Panel on a server\n")
	section(page, "OVERVIEW", overview)
	for _, found := range commandLine.FindAllSubmatch(overview, -1) {
		name := string(found[1])
		if name == "help" || name == "completion" {
			continue
		}
		text, err := ask(executable, name, "--help")
		if err != nil {
			return err
		}
		section(page, strings.ToUpper(name), text)
	}
	if err := file(filepath.Join(folder, "man", "panel-agent.1.gz"), zipped(page.Bytes())); err != nil {
		return err
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		script, err := ask(executable, "completion", shell)
		if err != nil {
			return err
		}
		if err := file(filepath.Join(folder, shell), script); err != nil {
			return err
		}
	}
	return nil
}

func ask(executable string, args ...string) ([]byte, error) {
	out, err := exec.Command(executable, args...).Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s %s: %w", filepath.Base(executable), strings.Join(args, " "), err)
	}
	return out, nil
}

// section writes text as it is; roff must not take a dot or a backslash for an instruction.
func section(page *bytes.Buffer, title string, text []byte) {
	fmt.Fprintf(page, ".SH %s\n.nf\n", title)
	for line := range strings.Lines(strings.TrimSpace(string(text))) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), `\`, `\e`)
		page.WriteString(`\&` + strings.ReplaceAll(line, "-", `\-`) + "\n")
	}
	page.WriteString(".fi\n")
}

func zipped(text []byte) []byte {
	var out bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = writer.Write(text) // a buffer takes everything
	_ = writer.Close()
	return out.Bytes()
}

func file(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
