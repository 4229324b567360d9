// Package xui reads what 3x-ui keeps: its database file, or what its API answers. Both become a configuration of Xray,
// which is read as one.
package xui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"panel/modules/imports/internal/foreign"
	"panel/modules/imports/internal/sqlite"
	"panel/modules/imports/internal/xray"
)

// Format names the source.
const Format = "3x-ui"

// ErrOther means that the database is of another program.
var ErrOther = errors.New("this database has no table of inbounds: it is not one of 3x-ui")

// inbound is one as the API gives it. Its settings are documents, or texts with documents.
type inbound struct {
	ID       int64           `json:"id"`
	Remark   string          `json:"remark"`
	Enable   *bool           `json:"enable"`
	Listen   string          `json:"listen"`
	Port     int64           `json:"port"`
	Protocol string          `json:"protocol"`
	Tag      string          `json:"tag"`
	Settings json.RawMessage `json:"settings"`
	Stream   json.RawMessage `json:"streamSettings"`
	Sniffing json.RawMessage `json:"sniffing"`
	Stats    []traffic       `json:"clientStats"`

	Total      int64 `json:"total"`      // bytes of all its clients
	ExpiryTime int64 `json:"expiryTime"` // milliseconds since 1970
}

type traffic struct {
	Email string `json:"email"`
	Up    int64  `json:"up"`
	Down  int64  `json:"down"`
}

// Database reads a database file. Errors: sqlite.ErrBroken, ErrOther.
func Database(ctx context.Context, in io.ReaderAt, size int64) (*foreign.Config, error) {
	file, err := sqlite.Open(ctx, in, size)
	if err != nil {
		return nil, fmt.Errorf("open a database of 3x-ui: %w", err)
	}
	out, err := read(ctx, file)
	return out, errors.Join(err, file.Close())
}

func read(ctx context.Context, file *sqlite.File) (*foreign.Config, error) {
	if !file.Has("inbounds", "port", "protocol", "settings", "stream_settings") {
		return nil, ErrOther
	}
	used := map[string]traffic{}
	err := file.Each(ctx, "client_traffics", func(row sqlite.Row) error {
		one := traffic{Email: row.Text("email"), Up: row.Int("up"), Down: row.Int("down")}
		if len(used) < foreign.MaxClients {
			used[one.Email] = one
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what clients have used: %w", err)
	}
	base, err := template(ctx, file)
	if err != nil {
		return nil, err
	}
	out := &foreign.Config{Format: Format}
	if file.Journaled {
		out.Note("", foreign.NewestMissing, "", "")
	}
	err = file.Each(ctx, "inbounds", func(row sqlite.Row) error {
		if len(base.Inbounds) > foreign.MaxEntries {
			return nil
		}
		enabled := row.Int("enable") != 0
		base.add(out, &inbound{
			ID: row.Int("id"), Remark: row.Text("remark"), Enable: &enabled, Listen: row.Text("listen"),
			Port: row.Int("port"), Protocol: row.Text("protocol"), Tag: row.Text("tag"),
			Settings: json.RawMessage(row.Text("settings")), Stream: json.RawMessage(row.Text("stream_settings")),
			Sniffing: json.RawMessage(row.Text("sniffing")), Total: row.Int("total"), ExpiryTime: row.Int("expiry_time"),
		}, used)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the inbounds: %w", err)
	}
	base.ReadInto(out)
	return out, nil
}

// template is what 3x-ui adds inbounds to: rules and ways out.
func template(ctx context.Context, file *sqlite.File) (*config, error) {
	base := new(config)
	err := file.Each(ctx, "settings", func(row sqlite.Row) error {
		if row.Text("key") == "xrayTemplateConfig" {
			_ = json.Unmarshal([]byte(row.Text("value")), &base.Config) // one that is not JSON has no rules to keep
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the template of the configuration: %w", err)
	}
	base.Inbounds = nil
	if len(base.Outbounds) == 0 {
		base.Outbounds = []xray.Outbound{{Tag: "direct", Protocol: "freedom"}}
	}
	return base, nil
}

// Inbounds reads the list that the API gives. It fails for what is no list of inbounds.
func Inbounds(text []byte) (*foreign.Config, error) {
	var all []inbound
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read a list of inbounds: %w", err)
	}
	base, out := &config{xray.Config{Outbounds: []xray.Outbound{{Tag: "direct", Protocol: "freedom"}}}},
		&foreign.Config{Format: Format}
	for i := range all {
		used := map[string]traffic{}
		for _, one := range all[i].Stats {
			used[one.Email] = one
		}
		base.add(out, &all[i], used)
	}
	base.ReadInto(out)
	return out, nil
}

type config struct{ xray.Config }

// add adds an inbound in the words of Xray.
func (c *config) add(out *foreign.Config, in *inbound, used map[string]traffic) {
	id := strconv.FormatInt(in.ID, 10)
	settings, ok := document(in.Settings)
	stream, okStream := document(in.Stream)
	sniffing, okSniffing := document(in.Sniffing)
	if !ok || !okStream {
		out.Note("inbounds[id="+id+"]", foreign.NotReadable, "", in.Remark)
		return
	}
	if !okSniffing {
		sniffing = nil
	}
	text, err := json.Marshal(map[string]any{
		"panelID": id, "panelName": in.Remark, "panelOff": in.Enable != nil && !*in.Enable, "tag": in.Tag,
		"listen": in.Listen, "port": in.Port, "protocol": in.Protocol, "settings": counted(settings, used),
		"streamSettings": stream, "sniffing": sniffing,
	})
	if err != nil {
		out.Note("inbounds[id="+id+"]", foreign.NotReadable, "", in.Remark)
		return
	}
	c.Inbounds = append(c.Inbounds, text)
	for name, limit := range map[string]int64{"total": in.Total, "expiryTime": in.ExpiryTime} {
		if limit > 0 {
			out.Note("inbounds[id="+id+"]."+name, foreign.SettingLeftOut, "", name)
		}
	}
}

// document is a document of JSON that stands there by itself, or inside of a text; nil for none.
func document(raw json.RawMessage) (any, bool) {
	var value any
	if len(raw) == 0 {
		return nil, true
	}
	if json.Unmarshal(raw, &value) != nil {
		return nil, false
	}
	if inner, isText := value.(string); isText {
		if inner == "" {
			return nil, true
		}
		if json.Unmarshal([]byte(inner), &value) != nil {
			return nil, false
		}
	}
	switch value.(type) {
	case nil, map[string]any:
		return value, true
	}
	return nil, false
}

// counted adds to the clients of settings what they have used.
func counted(settings any, used map[string]traffic) any {
	members, _ := settings.(map[string]any)
	clients, _ := members["clients"].([]any)
	for _, one := range clients {
		client, isObject := one.(map[string]any)
		if email, _ := client["email"].(string); isObject {
			client["panelUp"], client["panelDown"] = max(used[email].Up, 0), max(used[email].Down, 0)
		}
	}
	return settings
}
