package logs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"panel/platform/doctor"
	"panel/platform/durable"
)

// files are the logs of one folder; nginx has two that grow.
type files struct {
	paths     []string // the files that grow
	component string
}

// names are the files of a component without their ending; the panel's own file holds every part of the process.
var names = map[string][]string{
	Backend: {"panel", "backend"}, Worker: {"worker", "panel", "backend"}, Scheduler: {"scheduler", "panel", "backend"},
	Nginx: {"error", "access"},
}

func (p Places) files(_ context.Context, q Query) (feed, Source, []doctor.Text) {
	folders := p.PanelFolders
	if q.Component == Nginx {
		folders = p.NginxFolders
	}
	var skipped []doctor.Text
	for _, folder := range folders {
		found, err := growing(folder, q.Component)
		if len(found) > 0 {
			text := doctor.Say("files, %s", strings.Join(found, ", "))
			return &files{paths: found, component: q.Component}, Source{
				Kind: "file", Name: strings.Join(found, ", "),
				Text: text,
			}, skipped
		}
		skipped = append(skipped, whyNot(folder, err))
	}
	return nil, Source{}, skipped
}

func whyNot(folder string, err error) doctor.Text {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return doctor.Say("%s may not be read by this user", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return doctor.Say("%s cannot be read", folder)
	}
	return doctor.Say("no log in %s", folder)
}

// growing finds the files of a component in a folder: of several names the first, of nginx both.
func growing(folder, component string) ([]string, error) {
	if _, err := os.ReadDir(folder); err != nil {
		return nil, err
	}
	var found []string
	var refused error
	for _, name := range names[component] {
		path := filepath.Join(folder, name+".log")
		file, err := durable.Open(path)
		if err != nil {
			refused = firstError(refused, err)
			continue
		}
		file.Close()
		found = append(found, path)
		if component != Nginx {
			break
		}
	}
	return found, refused
}

// firstError prefers an error that says more than that a file is absent.
func firstError(one, other error) error {
	if one == nil || errors.Is(one, fs.ErrNotExist) {
		return other
	}
	return one
}

// lines reads the ends of all files, merges them by time, then follows each.
func (f *files) lines(ctx context.Context, q Query) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var kept []Line
		var growing []*tail
		defer func() {
			for _, t := range growing {
				t.close()
			}
		}()
		for _, path := range f.paths {
			t, last, err := f.end(path, q)
			if err != nil {
				yield(Line{}, fmt.Errorf("read the log %s: %w", path, err))
				return
			}
			growing, kept = append(growing, t), append(kept, last...)
		}
		for _, line := range q.past(merged(kept, q.Tail, len(f.paths))) {
			if !yield(line, nil) {
				return
			}
		}
		if q.Follow {
			f.follow(ctx, q, growing, yield)
		}
	}
}

func merged(lines []Line, most, sources int) []Line {
	if sources > 1 {
		var last time.Time
		for i := range lines {
			if lines[i].Time.IsZero() {
				lines[i].Time = last // stays beside the line it continues
			}
			last = lines[i].Time
		}
		slices.SortStableFunc(lines, func(a, b Line) int { return cmp.Compare(a.Time.UnixNano(), b.Time.UnixNano()) })
	}
	if most > 0 && len(lines) > most {
		lines = lines[len(lines)-most:]
	}
	return lines
}

// end reads the last wanted lines of a file, going back into its rotated ones, and stands ready to follow it.
func (f *files) end(path string, q Query) (*tail, []Line, error) {
	t, err := openTail(path)
	if err != nil {
		return nil, nil, err
	}
	var kept []Line
	enough := func() bool { return q.Tail > 0 && len(kept) >= q.Tail }
	take := func(raw string) bool {
		line := parse(raw, "file", f.component)
		if !line.Time.IsZero() && line.Time.Before(q.Since) {
			return false
		}
		if q.wanted(line) {
			kept = append(kept, line)
		}
		return !enough()
	}
	more, err := backward(t.file, t.offset, take)
	if err == nil && !q.Follow {
		// What has no end yet is the last line of somebody who does not wait for it.
		if rest := t.unfinished(); rest != "" {
			kept = slices.Insert(kept, 0, parse(rest, "file", f.component))
		}
	}
	for _, older := range rotated(path) {
		if err != nil || !more {
			break
		}
		more, err = backwardFile(older, take)
	}
	slices.Reverse(kept)
	return t, kept, err
}

// rotated lists the earlier files of a log, newest first: panel.log.1, panel.log.2.gz, panel.log-20261120.
func rotated(path string) []string {
	found, _ := filepath.Glob(path + ".*") // the pattern is sound
	dated, _ := filepath.Glob(path + "-*")
	found = append(found, dated...)
	times := map[string]time.Time{}
	found = slices.DeleteFunc(found, func(name string) bool {
		about, err := os.Stat(name)
		if err != nil || !about.Mode().IsRegular() {
			return true
		}
		times[name] = about.ModTime()
		return false
	})
	slices.SortFunc(found, func(a, b string) int {
		if order := times[b].Compare(times[a]); order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return found
}

func (f *files) follow(ctx context.Context, q Query, growing []*tail, yield func(Line, error) bool) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		for _, t := range growing {
			fresh, err := t.fresh()
			if err != nil {
				yield(Line{}, err)
				return
			}
			for _, raw := range fresh {
				if line := parse(raw, "file", f.component); q.wanted(line) && !yield(line, nil) {
					return
				}
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
