package support

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"panel/platform/database"

	"panel/platform/config"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
	"panel/platform/durable"
	"panel/platform/logs"
)

func dataDir(o Options) string { return checks.DataDir(o.Env) }

// keys are all settings that this build knows.
func keys(env doctor.Env) []config.Key { return append(config.Platform(), env.Known.Keys...) }

// secretsOf are the values that must appear nowhere: those of secret settings and of settings that no panel knows, the
// passwords inside addresses, and the master key in its file.
func secretsOf(env doctor.Env) map[string]string {
	found := map[string]string{}
	declared := map[string]bool{}
	for _, key := range keys(env) {
		declared[key.Name] = true
		value := env.Getenv(key.Name)
		if key.Secret {
			found[value] = kindOf(key.Name)
			for part := range strings.SplitSeq(value, ",") {
				found[strings.TrimSpace(part)] = kindOf(key.Name)
			}
		}
		for _, password := range passwordsIn(value) {
			found[password] = kindPassword
		}
	}
	for _, name := range env.Names {
		if strings.HasPrefix(name, "PANEL_") && !declared[name] || secretName().MatchString(name) {
			found[env.Getenv(name)] = kindOf(name)
		}
	}
	if content, err := os.ReadFile(filepath.Join(checks.DataDir(env), "secret.key")); err == nil {
		found[strings.TrimSpace(string(content))] = kindKey
	}
	delete(found, "")
	return found
}

// passwordsIn reads the password of an address as it is written and as it is meant.
func passwordsIn(value string) []string {
	var found []string
	for address := range strings.SplitSeq(value, ",") {
		if parsed, err := url.Parse(strings.TrimSpace(address)); err == nil && parsed.User != nil {
			password, _ := parsed.User.Password()
			found = append(found, password)
		}
	}
	if read, err := database.ParseAddress(value); err == nil && value != "" {
		found = append(found, read.Password)
	}
	return found
}

// settings lists what is set; a secret is only said to be set.
func settings(_ context.Context, o Options) part {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# file: %s\n", o.Env.File)
	for _, key := range keys(o.Env) {
		switch value := o.Env.Getenv(key.Name); {
		case value == "":
			fmt.Fprintf(&out, "%s is not set\n", key.Name)
		case key.Secret:
			fmt.Fprintf(&out, "%s is set\n", key.Name)
		default:
			fmt.Fprintf(&out, "%s=%s\n", key.Name, value)
		}
	}
	known := keys(o.Env)
	for _, name := range o.Env.Names {
		is := func(key config.Key) bool { return key.Name == name }
		if strings.HasPrefix(name, "PANEL_") && !slices.ContainsFunc(known, is) {
			fmt.Fprintf(&out, "%s is set and unknown\n", name)
		}
	}
	return part{content: out.Bytes()}
}

func versions(_ context.Context, o Options) part {
	return document(map[string]string{"panelctl": o.Version, "go": runtime.Version(), "system": runtime.GOOS + "/" +
		runtime.GOARCH})
}

// system is what the machine says about itself.
func system(ctx context.Context, o Options) part {
	var out bytes.Buffer
	for _, path := range []string{
		"/etc/os-release", "/proc/version", "/proc/loadavg", "/proc/uptime", "/proc/meminfo",
		"/proc/pressure/io", "/etc/resolv.conf",
	} {
		if content, err := os.ReadFile(path); err == nil {
			fmt.Fprintf(&out, "## %s\n%s\n", path, content)
		}
	}
	for _, command := range [][]string{
		{"df", "-h", dataDir(o), "/var/log"},
		{"df", "-i", dataDir(o)},
		{"ls", "-lan", dataDir(o)},
		{
			"systemctl", "show", "panel.service",
			"--property=ActiveState,SubState,NRestarts,Result,ExecMainStatus,MemoryCurrent",
		},
	} {
		said, why := run(ctx, command)
		fmt.Fprintf(&out, "## %s\n%s%s\n", strings.Join(command, " "), said, why)
	}
	return part{content: out.Bytes()}
}

// run gives a command of the system a few seconds; every word of it is chosen here.
func run(ctx context.Context, command []string) (said, why string) {
	const within = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		why = "(" + err.Error() + ")\n"
	}
	return string(out), why
}

// counts are the rows of each table, as the database estimates them.
func counts(ctx context.Context, o Options) part {
	db, done, none := checks.Database(ctx, o.Env)
	if none != nil {
		return part{why: none.Found}
	}
	defer done()
	var rows []struct {
		Table string
		Rows  int64
	}
	err := db.NewRaw(`select relname as "table", n_live_tup as "rows" from pg_stat_user_tables order by 1`).
		Scan(ctx, &rows)
	if err != nil {
		return part{why: doctor.Say("the database does not tell its counts")}
	}
	all := map[string]int64{}
	for _, row := range rows {
		all[row.Table] = row.Rows
	}
	return document(all)
}

// logLimit keeps the newest part of a log that is longer.
const logLimit = 5 << 20

func logOf(component string) func(context.Context, Options) part {
	return func(ctx context.Context, o Options) part {
		reader, err := logs.Open(ctx, o.Places, logs.Query{Component: component, Tail: logs.All, Since: o.Since})
		if missing := (*logs.NotFoundError)(nil); errors.As(err, &missing) {
			return part{why: doctor.Say("there is no log of %s", missing.Component)}
		}
		if err != nil {
			return part{why: doctor.Command("%s", err.Error())}
		}
		var out bytes.Buffer
		for line, err := range reader.Lines(ctx) {
			if err != nil {
				return part{why: doctor.Command("%s", err.Error())}
			}
			out.WriteString(line.Raw + "\n")
			if out.Len() > 2*logLimit {
				out.Next(out.Len() - logLimit)
			}
		}
		content := out.Bytes()
		if len(content) > logLimit {
			content = content[len(content)-logLimit:]
			_, content, _ = bytes.Cut(content, []byte("\n"))
		}
		return part{content: content, source: reader.Source.Text.String()}
	}
}

func updateJournal(_ context.Context, o Options) part {
	content, err := durable.ReadFile(filepath.Join(dataDir(o), "update-journal.jsonl"))
	if err != nil {
		return part{why: doctor.Say("the panel was never updated here")}
	}
	return part{content: content[max(0, len(content)-logLimit):]}
}
