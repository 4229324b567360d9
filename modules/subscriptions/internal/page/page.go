// Package page is what a person sees who opens a subscription URL in a browser: a code to scan, buttons for
// known programs, what is left. It stands alone: nothing of it is fetched from anywhere.
package page

import (
	"bytes"
	"crypto/rand"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"
	"time"

	"panel/modules/flows/flowsapi"
)

//go:embed page.html
var source string

// tree is parsed for the first page, so that no command of a second's fraction parses it.
var tree = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(source)) })

// View is what the page shows.
type View struct {
	Title        string
	Address      string // of the subscription
	Support      string
	Announcement string
	State        string
	Usage        *flowsapi.Usage
	Connections  []flowsapi.Connection
	Agent        string // what the browser calls itself
	Languages    string // that the visitor reads, as browsers say it
}

// Page is a written page and the policy that it needs.
type Page struct {
	HTML   []byte
	Policy string
}

// Write writes the page with a nonce of its own, without which nothing of it is drawn or runs.
func Write(v View) (Page, error) {
	said := wordsFor(v.Languages)
	code, err := drawn(v.Address)
	if err != nil {
		return Page{}, err
	}
	nonce := rand.Text()
	shown := struct {
		View
		Words    words
		Nonce    string
		Code     template.HTML
		Support  template.URL
		Figures  *figures
		Here     device
		Others   []device
		Links    []link
		Tunnels  []tunnel
		Problem  string
		Language string
	}{
		View: v, Words: said, Nonce: nonce, Code: code, Language: said.language, Figures: figuresOf(v.Usage, said),
		Problem: said.states[v.State], Support: template.URL(v.Support), //nolint:gosec // settings take https, mailto and tg alone
	}
	for _, c := range v.Connections {
		shown.Links = append(shown.Links, link{c.Name, c.URI()})
		if c.Tunnel == nil {
			continue
		}
		t := tunnel{Name: c.Name, Conf: c.Conf()}
		if t.Code, err = drawn(t.Conf); err != nil {
			return Page{}, err
		}
		if len(shown.Tunnels) == 0 { // the file of the address is that of the first
			t.File = template.URL(v.Address + "?format=wireguard") //nolint:gosec // an address of the panel
		}
		shown.Tunnels = append(shown.Tunnels, t)
	}
	if len(shown.Links) == 0 && shown.Problem == "" {
		shown.Problem = said.empty
	}
	shown.Here, shown.Others = devices(v)
	var out bytes.Buffer
	if err := tree().Execute(&out, shown); err != nil {
		return Page{}, fmt.Errorf("write the page of a subscription: %w", err)
	}
	policy := "default-src 'none'; style-src 'nonce-" + nonce + "'; script-src 'nonce-" + nonce + "'; " +
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return Page{HTML: out.Bytes(), Policy: policy}, nil
}

type link struct{ Name, URI string }

// tunnel is a connection of WireGuard, whose programs take no subscription.
type tunnel struct {
	Name, Conf string
	Code       template.HTML
	File       template.URL
}

// figures are numbers as people read them.
type figures struct {
	Used, Total, Left string
	Percent           int
	Expires           string
}

func figuresOf(u *flowsapi.Usage, w words) *figures {
	if u == nil {
		return nil
	}
	used := u.Up + u.Down
	f := &figures{Used: w.bytes(used)}
	if u.Total > 0 {
		f.Total, f.Left = w.bytes(u.Total), w.bytes(max(0, u.Total-used))
		f.Percent = int(min(100, float64(used)/float64(u.Total)*100)) //nolint:mnd // percent
	}
	switch {
	case !u.Expires.IsZero():
		f.Expires = w.Until + " " + w.date(u.Expires)
	case u.Lasts > 0:
		f.Expires = w.lasts(u.Lasts)
	}
	return f
}

// bytes writes an amount with the unit in which it has at most three digits before its point.
func (w words) bytes(n int64) string {
	const step, rounded = 1000, 999.95 // which would be written as 1000.0
	unit, amount := 0, float64(n)
	for amount >= rounded && unit < len(w.units)-1 {
		amount, unit = amount/step, unit+1
	}
	text := fmt.Sprintf("%.1f", amount)
	text = strings.TrimSuffix(text, ".0")
	return strings.Replace(text, ".", w.point, 1) + "\u00a0" + w.units[unit]
}

func (w words) date(t time.Time) string {
	return fmt.Sprintf(w.dateForm, t.Day(), w.months[t.Month()-1], t.Year())
}
