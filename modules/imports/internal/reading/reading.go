// Package reading tells by its content what a file is, and has it read.
package reading

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"panel/modules/clients/clientsapi"
	"panel/modules/imports/internal/confined"
	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/remnawave"
	"panel/modules/imports/internal/sqlite"
	"panel/modules/imports/internal/xray"
	"panel/modules/imports/internal/xui"
)

// MostText is the largest document of JSON that is read, in bytes. A database may be larger: it is not held in memory.
const MostText = 24 << 20

// The ways in which a file is none that could be read.
var (
	ErrUnknown  = errors.New("this is no configuration of Xray, profile of Remnawave, database of 3x-ui or exported flow")
	ErrBroken   = errors.New("the file is broken: it does not end as it should, or its parts contradict each other")
	ErrTooLarge = errors.New("a document of this size is not read; a configuration with 50,000 clients is smaller")
	ErrTooMuch  = errors.New("reading this database takes more time or memory than any of 3x-ui needs")
)

// FlowSchema marks an exported flow.
const FlowSchema = "panel.flow/v1"

// Reader reads files, databases in a process of their own.
type Reader struct{ runner *confined.Runner }

// New is a Reader.
func New() *Reader {
	return &Reader{confined.New(confined.Bounds{
		Memory: 1 << 30, Processor: 15 * time.Second, Time: 20 * time.Second, Answer: MostText,
	})}
}

// Read reads a file of any of the known forms. Errors: those above.
func (r *Reader) Read(ctx context.Context, file *os.File, size int64) (*foreign.Config, error) {
	head := make([]byte, len(sqlite.Magic))
	if n, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) || n == 0 {
		return nil, ErrUnknown
	}
	if string(head) == sqlite.Magic {
		return r.database(ctx, file)
	}
	if size > MostText {
		return nil, ErrTooLarge
	}
	text, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", err)
	}
	return Text(text)
}

// Text reads a document. Errors: ErrUnknown, ErrBroken.
func Text(text []byte) (*foreign.Config, error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))
	if !json.Valid(text) {
		text = bytes.TrimSpace(withoutComments(text))
	}
	return document(text)
}

// document reads JSON.
func document(text []byte) (*foreign.Config, error) {
	if !json.Valid(text) {
		if len(text) > 0 && (text[0] == '{' || text[0] == '[') {
			return nil, ErrBroken
		}
		return nil, ErrUnknown
	}
	if text[0] == '[' {
		return orUnknown(xui.Inbounds(text))
	}
	members := map[string]json.RawMessage{}
	if json.Unmarshal(text, &members) != nil {
		return nil, ErrUnknown
	}
	var schema string
	_ = json.Unmarshal(members["schema"], &schema) // absent: none of ours
	switch _, answered := members["obj"]; {
	case schema == FlowSchema:
		return flow(text)
	case schema == foreign.Schema:
		return again(text)
	case answered:
		return orUnknown(xui.Inbounds(members["obj"]))
	case len(members["inbounds"]) > 0:
		return orUnknown(xray.Read(text))
	case remnawave.Is(members):
		return orUnknown(remnawave.Read(text))
	}
	return nil, ErrUnknown
}

func orUnknown(c *foreign.Config, err error) (*foreign.Config, error) {
	if err != nil {
		return nil, ErrUnknown
	}
	return c, nil
}

// flow reads a flow that a panel has exported.
func flow(text []byte) (*foreign.Config, error) {
	var exported struct {
		Name string `json:"name"`
		foreign.Flow
	}
	if json.Unmarshal(text, &exported) != nil || len(exported.Drawing) == 0 {
		return nil, ErrBroken
	}
	name := foreign.Clean(exported.Name, foreign.MaxLabel)
	exported.Description = foreign.Clean(exported.Description, foreign.MaxNote)
	out := &foreign.Config{Format: "flow"}
	out.Add("", foreign.Entry{Key: "flow", Name: name, Flow: &exported.Flow})
	out.Note("", foreign.KeyNotExported, "flow", name)
	return out, nil
}

// again reads what a command line has read elsewhere. Everything in it is bounded as if it were read here.
func again(text []byte) (*foreign.Config, error) {
	var given foreign.Config
	if json.Unmarshal(text, &given) != nil {
		return nil, ErrBroken
	}
	out := &foreign.Config{Format: foreign.Clean(given.Format, foreign.MaxLabel)}
	for _, e := range given.Entries {
		e.Key, e.Name = foreign.Clean(e.Key, foreign.MaxLabel), foreign.Clean(e.Name, foreign.MaxLabel)
		e.Domain = foreign.Clean(e.Domain, longestHost)
		if e.Listener == nil && e.Flow == nil || len(e.Rules) > foreign.MaxRules || e.Key == "" || out.Has(e.Key) ||
			e.Flow != nil && len(e.Flow.Drawing) == 0 {
			return nil, ErrBroken
		}
		if e.Flow != nil {
			e.Flow.Description = foreign.Clean(e.Flow.Description, foreign.MaxNote)
		}
		for i := range e.Clients {
			c := &e.Clients[i]
			c.Label, c.Note = foreign.Clean(c.Label, foreign.MaxLabel), foreign.Clean(c.Note, foreign.MaxNote)
			if c.Label == "" || !sound(c) {
				return nil, ErrBroken
			}
		}
		out.Add(e.Key, e)
	}
	for _, f := range given.Findings {
		if f.Code.Reason() != "" {
			out.Note(foreign.Clean(f.Path, 200), f.Code, foreign.Clean(f.Entry, foreign.MaxLabel), f.What)
		}
	}
	return out, nil
}

const longestHost = 253

// sound says whether a client can be stored as it is.
func sound(c *foreign.Client) bool {
	const longest, key, most = 128, 32, 1<<53 - 1
	known := slices.Contains([]string{"", "never", "daily", "weekly", "monthly"}, c.Reset)
	if _, err := uuid.Parse(c.UUID); err != nil && c.UUID != "" {
		return false
	}
	return known && len(c.UUID) <= longest && len(c.Password) <= longest && len(c.Key) <= key && c.Quota >= 0 &&
		c.Quota <= most && c.Up >= 0 && c.Down >= 0 && c.Up <= most && c.Down <= most &&
		c.LastsDays >= 0 && c.LastsDays <= clientsapi.MostDays && (c.LastsDays == 0 || c.ExpiresAt == nil) &&
		c.Addresses >= 0 && c.Addresses <= clientsapi.MostAddresses &&
		(c.Subscription == "" || foreign.Unguessed(c.Subscription)) && !strings.ContainsAny(c.Password, "\x00\r\n")
}
