package support

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"panel/platform/doctor"
)

const (
	defaultPeriod = 24 * time.Hour
	partWithin    = 15 * time.Second // more than a check of Doctor or a slow journal needs
)

// part is the content of one file.
type part struct {
	name    string
	source  string // where a log came from
	content []byte
	why     doctor.Text // the content is absent
}

// collector makes one or more parts; it answers within the time of its context.
type collector struct {
	name    string
	collect func(context.Context, Options) part
}

func collectors() []collector {
	return []collector{
		{"doctor.json", diagnosis},
		{"versions.json", versions},
		{"settings.txt", settings},
		{"system.txt", system},
		{"counts.json", counts},
		{"logs/backend.log", logOf("backend")},
		{"logs/nginx.log", logOf("nginx")},
		{"update-journal.jsonl", updateJournal},
	}
}

// gather collects all parts at once, then masks them together: a secret that one of them shows is searched for in all.
func gather(ctx context.Context, o Options) (Manifest, []part, error) {
	o = o.complete()
	host, _ := os.Hostname() // a machine without a name has none to tell
	manifest := Manifest{
		Schema: Schema, Host: host, CreatedAt: o.Env.Now().UTC().Truncate(time.Second), Since: o.Since.UTC().
			Truncate(time.Second), Version: o.Version,
		Files: []File{}, Masked: map[string]int{}, Missing: []Missing{},
	}
	raw := collectAll(ctx, o)
	if err := ctx.Err(); err != nil {
		return manifest, nil, fmt.Errorf("collect the support bundle: %w", err)
	}
	m := newMasker(!o.ShowAddresses)
	for value, kind := range secretsOf(o.Env) {
		m.known.add(value, kind)
	}
	for _, p := range raw {
		m.learn(string(p.content))
	}
	var masked []part
	for _, p := range raw {
		if p.why.Format != "" {
			inRussian := MissingWords{Why: m.mask(p.why.In(doctor.Russian), map[string]int{})}
			manifest.Missing = append(manifest.Missing, Missing{
				Name: p.name, Why: m.mask(p.why.String(), manifest.Masked),
				Translations: map[string]MissingWords{doctor.Russian: inRussian},
			})
			continue
		}
		counts := map[string]int{}
		p.content = []byte(m.mask(string(p.content), counts))
		masked = append(masked, p)
		manifest.add(p, counts)
	}
	return manifest, masked, nil
}

func (m *Manifest) add(p part, counts map[string]int) {
	if len(counts) == 0 {
		counts = nil
	}
	m.Files = append(m.Files, File{Name: p.name, Bytes: int64(len(p.content)), Source: p.source, Masked: counts})
	m.Bytes += int64(len(p.content))
	for kind, count := range counts {
		m.Masked[kind] += count
	}
}

func (o Options) complete() Options {
	if o.Since.IsZero() {
		o.Since = o.Env.Now().Add(-defaultPeriod)
	}
	return o
}

// collectAll gives up on a part that does not come in time, not on the bundle.
func collectAll(ctx context.Context, o Options) []part {
	all := collectors()
	parts := make([]part, len(all))
	var wait sync.WaitGroup
	for i, c := range all {
		wait.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, partWithin)
			defer cancel()
			answer := make(chan part, 1)
			go func() { answer <- c.collect(ctx, o) }()
			select {
			case parts[i] = <-answer:
			case <-ctx.Done():
				parts[i] = part{why: doctor.Say("it did not come in time")}
			}
			parts[i].name = c.name
		})
	}
	wait.Wait()
	return parts
}

func document(value any) part {
	content, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return part{why: doctor.Command("%s", err.Error())}
	}
	return part{content: append(content, '\n')}
}

func diagnosis(ctx context.Context, o Options) part {
	if len(o.Checks) > 0 {
		return document(doctor.Run(ctx, o.Env, o.Checks).Document())
	}
	last, err := doctor.Last(dataDir(o))
	if err != nil {
		return part{why: doctor.Say("there is no diagnosis yet: panelctl doctor")}
	}
	return document(last)
}
