package site

import (
	"bytes"
	"html/template"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// policy keeps what a text needs and nothing that runs, is fetched, or looks like the page's own. Texts of incidents
// are written in haste, and may hold what a log said.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "strong", "em", "del", "ul", "ol", "li", "code", "pre", "blockquote", "hr")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.AllowRelativeURLs(false)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
})

// writer has no html.WithUnsafe: raw HTML is left out before anything is sanitised.
var writer = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.NewLinkify(
		extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}))),
		goldmark.WithRendererOptions(html.WithHardWraps()))
})

// markdown is a text as HTML that holds nothing but words, lists and links.
func markdown(text string) (template.HTML, error) {
	var out bytes.Buffer
	if err := writer().Convert([]byte(text), &out); err != nil {
		return "", err
	}
	return template.HTML(policy().SanitizeBytes(out.Bytes())), nil //nolint:gosec // it was sanitised
}

// html is a text that stands in several files, which is read once.
func (b *builder) html(text string) (template.HTML, error) {
	if done, known := b.texts[text]; known {
		return done, nil
	}
	done, err := markdown(text)
	if err == nil && b.texts == nil {
		b.texts = map[string]template.HTML{}
	}
	if err == nil {
		b.texts[text] = done
	}
	return done, err
}
