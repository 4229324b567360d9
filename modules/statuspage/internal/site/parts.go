package site

import (
	"html"
	"html/template"
	"strconv"
	"strings"
)

// drawn writes the components of a group. A page has thousands of them, so no template does it: each text passes
// through html.EscapeString, and all else is a number or a word of this package.
func drawn(parts []partShown) template.HTML {
	var out strings.Builder
	out.WriteString(`<ul class="parts">`)
	for i := range parts {
		p := &parts[i]
		out.WriteString("\n" + `<li><div class="row"><span class="name">` + html.EscapeString(p.Name) +
			`</span><span class="state ` + p.Status + `">` + html.EscapeString(p.Word) + `</span></div>`)
		if p.Bars != nil {
			p.Bars.draw(&out)
		}
		out.WriteString("</li>")
	}
	out.WriteString("\n</ul>")
	return template.HTML(out.String()) //nolint:gosec // every text of it is escaped
}

func (b *bars) draw(out *strings.Builder) {
	out.WriteString(`<svg class="bars" viewBox="0 0 ` + strconv.Itoa(b.Count) +
		` 1" preserveAspectRatio="none" role="img" aria-label="` + html.EscapeString(b.Label) + `">`)
	for _, r := range b.Runs {
		out.WriteString(`<rect class="` + r.Worst + `" x="` + strconv.Itoa(r.From) + `" width="` + strconv.Itoa(r.Days) +
			`" height="1">`)
		if r.Title != "" {
			out.WriteString("<title>" + html.EscapeString(r.Title) + "</title>")
		}
		out.WriteString("</rect>")
	}
	out.WriteString(`</svg><div class="scale"><span>` + html.EscapeString(b.Oldest) + "</span><span>" +
		html.EscapeString(b.Uptime) + "</span><span>" + html.EscapeString(b.Newest) + "</span></div>")
}
