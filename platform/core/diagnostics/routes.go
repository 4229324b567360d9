package diagnostics

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"panel/platform/access"
	"panel/platform/config"
	"panel/platform/core/system"
	"panel/platform/doctor"
	"panel/platform/fault"
	"panel/platform/httpapi"
	"panel/platform/logs"
	"panel/platform/support"
)

func (h *handlers) routes() httpapi.Routes {
	manage, collects := access.Needs(system.Manage), httpapi.Deadline(collectWithin)
	return httpapi.Under("/api/v1/system", "",
		httpapi.Get("/diagnostics", "Show the last diagnosis of Doctor and the end of the log", manage, h.show,
			httpapi.Deadline(readWithin+answerWithin)),
		httpapi.Raw(http.MethodPost, "/support-bundle", "Pack a support bundle without secrets and download it",
			manage, h.download, httpapi.WhileDegraded(), httpapi.Lasts(), httpapi.Anew(),
			httpapi.Reads[BundleRequest]()),
		httpapi.Post("/support-bundle/preview", "Tell what a support bundle would hold and how much is masked in it",
			manage, h.preview, httpapi.WhileDegraded(), collects, httpapi.Anew()),
		httpapi.Post("/support-bundle/send", "Pack a support bundle and send it to the configured address", manage,
			h.send, httpapi.WhileDegraded(), collects),
	)
}

// View is the answer of GET /api/v1/system/diagnostics.
type View struct {
	Doctor  *doctor.Document `json:"doctor" doc:"The last diagnosis that was saved on the server; null when there was none"`
	Command string           `json:"command" doc:"What to type on the server for a new one"`
	Log     Log              `json:"log"`
	Upload  bool             `json:"upload" doc:"PANEL_SUPPORT_URL is set: a bundle can be sent"`
}

// Log is the end of one component's log, with secrets masked.
type Log struct {
	Component string   `json:"component" enum:"backend,worker,scheduler,nginx"`
	Source    string   `json:"source" doc:"Where the lines come from; empty when no log was found"`
	Skipped   []string `json:"skipped" doc:"Why not from a place that is asked earlier"`
	Lines     []Line   `json:"lines"`

	Translations map[string]LogWords `json:"translations" doc:"The texts in other languages, by the code of the language"`
}

// LogWords are the texts about a log in another language than English.
type LogWords struct {
	Source  string   `json:"source"`
	Skipped []string `json:"skipped"`
}

// Line is one entry of a log.
type Line struct {
	Time      *time.Time `json:"time"`
	Level     string     `json:"level" enum:",DEBUG,INFO,WARN,ERROR"`
	Component string     `json:"component"`
	Text      string     `json:"text" doc:"The message and its values"`
}

type showInput struct {
	Component string `query:"component" enum:"backend,worker,scheduler,nginx" default:"backend" doc:"Whose log"`
	Tail      int    `query:"tail" minimum:"1" maximum:"1000" default:"100" doc:"The last lines"`
	Level     string `query:"level" enum:"DEBUG,INFO,WARN,ERROR" doc:"Only lines of this level and above"`
}

type showOutput struct{ Body View }

const (
	readWithin    = 8 * time.Second
	answerWithin  = 2 * time.Second
	collectWithin = 30 * time.Second
)

func (h *handlers) show(ctx context.Context, in *showInput) (*showOutput, error) {
	view := View{Command: "sudo panelctl doctor", Upload: h.config.Given(config.SupportURL)}
	last, err := doctor.Last(h.config.DataDir())
	switch {
	case err == nil:
		view.Doctor = &last
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		return nil, err
	}
	view.Log, err = h.log(ctx, logs.Query{Component: in.Component, Tail: in.Tail, Level: in.Level})
	return &showOutput{view}, err
}

// log answers an empty one where no place has lines; the reasons say why.
func (h *handlers) log(ctx context.Context, query logs.Query) (Log, error) {
	ctx, cancel := context.WithTimeout(ctx, readWithin)
	defer cancel()
	out := Log{Component: query.Component, Lines: []Line{}}
	reader, err := logs.Open(ctx, h.places, query)
	var missing *logs.NotFoundError
	if errors.As(err, &missing) {
		out.describe(doctor.Text{}, missing.Looked)
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.describe(reader.Source.Text, reader.Source.Skipped)
	var found []logs.Line
	var texts []string
	for line, err := range reader.Lines(ctx) {
		if err != nil {
			return out, err
		}
		found, texts = append(found, line), append(texts, line.Text())
	}
	mask := support.NewMask(h.doctorEnv(), texts...)
	for _, line := range found {
		out.Lines = append(out.Lines, shown(line, mask))
	}
	return out, nil
}

func (l *Log) describe(source doctor.Text, skipped []doctor.Text) {
	l.Source, l.Skipped = source.String(), sentences(skipped, "")
	l.Translations = map[string]LogWords{doctor.Russian: {Source: source.In(doctor.Russian), Skipped: sentences(skipped,
		doctor.Russian)}}
}

func sentences(texts []doctor.Text, language string) []string {
	said := make([]string, len(texts))
	for i, text := range texts {
		said[i] = text.In(language)
	}
	return said
}

func shown(line logs.Line, mask func(string) string) Line {
	out := Line{Level: line.Level, Component: line.Component, Text: mask(line.Text())}
	if !line.Time.IsZero() {
		at := line.Time.UTC()
		out.Time = &at
	}
	return out
}

// BundleRequest says what a support bundle shall hold.
type BundleRequest struct {
	Since string `json:"since" maxLength:"16" doc:"The period of the logs: 1h, 24h, 7d"`
}

type bundleInput struct{ Body BundleRequest }

type manifestOutput struct{ Body support.Manifest }

func (h *handlers) preview(ctx context.Context, in *bundleInput) (*manifestOutput, error) {
	options, err := h.options(in.Body.Since)
	if err != nil {
		return nil, err
	}
	leave, err := h.alone()
	if err != nil {
		return nil, err
	}
	defer leave()
	manifest, err := support.Preview(ctx, options)
	return &manifestOutput{manifest}, err
}

// send keeps the bundle on the server too, so that one that does not arrive is not lost.
func (h *handlers) send(ctx context.Context, in *bundleInput) (*manifestOutput, error) {
	options, err := h.options(in.Body.Since)
	if err != nil {
		return nil, err
	}
	if !h.config.Given(config.SupportURL) {
		return nil, fault.Conflict("support_url_missing",
			"no address takes support bundles: set PANEL_SUPPORT_URL, or download the bundle")
	}
	leave, err := h.alone()
	if err != nil {
		return nil, err
	}
	defer leave()
	path, manifest, err := support.Save(ctx, options)
	if err != nil {
		return nil, err
	}
	if err := h.recorded(ctx, "support.bundle_sent", manifest); err != nil {
		return nil, err
	}
	return &manifestOutput{manifest}, support.Send(ctx, path, h.config.String(config.SupportURL),
		h.config.Secret(config.HTTPProxy).Reveal())
}

// alone lets one caller at a time collect: it reads logs of any length.
func (h *handlers) alone() (leave func(), err error) {
	select {
	case h.busy <- struct{}{}:
		return func() { <-h.busy }, nil
	default:
		return nil, fault.Conflict("support_bundle_busy", "another support bundle is being made; try again in a moment")
	}
}

// sinceOf reads a period such as 30m, 1h or 7d, at most 90 days.
func sinceOf(period string, now time.Time) (time.Time, error) {
	const longest = 90 * 24 * time.Hour
	length, err := time.ParseDuration(period)
	if days, found := strings.CutSuffix(period, "d"); found {
		var n uint64
		n, err = strconv.ParseUint(days, 10, 8)
		length = time.Duration(n) * 24 * time.Hour
	}
	if err != nil || length <= 0 || length > longest {
		return now, fault.InvalidValue("since", "a period such as 30m, 1h or 7d, at most 90d")
	}
	return now.Add(-length), nil
}
