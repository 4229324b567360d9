package doctor

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"panel/platform/durable"
)

// Schema is the form of Document; docs/reference/doctor.schema.json describes it.
const Schema = "panelctl.doctor/v1"

// Document is a report as it is printed with --json, kept in the data folder and put into a support bundle. Its texts
// are English; translations stand beside them.
type Document struct {
	Schema     string          `json:"schema"`
	Host       string          `json:"host"`
	StartedAt  time.Time       `json:"started_at"`
	DurationMS int64           `json:"duration_ms"`
	Summary    map[Status]int  `json:"summary"`
	Checks     []CheckDocument `json:"checks"`
	Changes    *Changes        `json:"changes,omitempty"`
}

// CheckDocument is one result.
type CheckDocument struct {
	ID         string         `json:"id"`
	Group      string         `json:"group"`
	Title      string         `json:"title"`
	Subject    string         `json:"subject,omitempty"`
	Status     Status         `json:"status"`
	Finding    string         `json:"finding"`
	Action     string         `json:"action,omitempty"`
	Doc        string         `json:"doc"`
	DurationMS int64          `json:"duration_ms"`
	Data       map[string]any `json:"data,omitempty"`

	Translations map[string]Words `json:"translations,omitempty" doc:"The texts in other languages, by the code of the language"`
}

// Changes say what is different from the run before.
type Changes struct {
	Since    time.Time `json:"since"` // when the run before began
	Statuses []Change  `json:"statuses"`
}

// Change is one check whose status is another than before; an empty status says that the check was not there.
type Change struct {
	ID   string `json:"id"`
	From Status `json:"from"`
	To   Status `json:"to"`
}

// String is the English sentence.
func (t Text) String() string {
	if t.Format == "" {
		return ""
	}
	return fmt.Sprintf(t.Format, t.Args...)
}

// Document makes the document of a report.
func (r Report) Document() Document {
	document := Document{
		Schema: Schema, Host: r.Host, StartedAt: r.Started.UTC().
			Truncate(time.Second), DurationMS: r.Took.Milliseconds(),
		Summary: r.Summary(), Checks: make([]CheckDocument, len(r.Results)), Changes: r.Changes,
	}
	for i, result := range r.Results {
		document.Checks[i] = CheckDocument{
			ID: result.Check.ID, Group: result.Check.Group, Title: result.Check.Title, Subject: result.Finding.Subject,
			Status:  result.Finding.Status,
			Finding: result.Finding.Found.String(), Action: result.Finding.Do.String(),
			Doc: "doctor#" + strings.ReplaceAll(result.Check.ID, ".", "-"), DurationMS: result.Took.Milliseconds(),
			Data:         result.Finding.Data,
			Translations: translations(result),
		}
	}
	return document
}

// Compare notes in the report what is different from an earlier one.
func (r *Report) Compare(before Document) {
	r.Changes = &Changes{Since: before.StartedAt, Statuses: []Change{}}
	known := map[string]Status{}
	for _, check := range before.Checks {
		known[check.ID] = check.Status
	}
	for _, result := range r.Results {
		if was := known[result.Check.ID]; was != result.Finding.Status {
			r.Changes.Statuses = append(r.Changes.Statuses, Change{
				ID: result.Check.ID, From: was,
				To: result.Finding.Status,
			})
		}
	}
}

// lastName is the last diagnosis, below the data folder.
const lastName = "doctor/last.json"

// Last reads the diagnosis that was kept in the data folder; fs.ErrNotExist says that there is none yet.
func Last(dataDir string) (Document, error) {
	var document Document
	content, err := durable.ReadFile(filepath.Join(dataDir, lastName))
	if err != nil {
		return document, fmt.Errorf("read the last diagnosis: %w", err)
	}
	if err := json.Unmarshal(content, &document); err != nil {
		return document, fmt.Errorf("read the last diagnosis: %w", err)
	}
	return document, nil
}

// Keep saves a diagnosis as the last one and answers where. It belongs to the owner of the data folder, so that the
// panel can show what root has found. A data folder that does not exist is not made.
func Keep(document Document, dataDir string) (path string, err error) {
	content, err := json.MarshalIndent(document, "", "  ")
	if err != nil {
		return "", fmt.Errorf("keep the diagnosis: %w", err)
	}
	if err := durable.Below(dataDir, lastName, 0o600, append(content, '\n')); err != nil {
		return "", fmt.Errorf("keep the diagnosis: %w", err)
	}
	return filepath.Join(dataDir, lastName), nil
}
