package statuspage

import (
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/modules/statuspage/internal/site"
	"panel/platform/access"
	"panel/platform/database"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// readers are as many as an office behind one address; each page is a handful of files.
var readers = access.Limit{PerMinute: 240, Burst: 60}

// public are the addresses at which the panel itself serves pages. Nobody signs in and nothing is remembered of a
// reader. A page that is not there and one that the panel does not serve are told apart by nothing.
func (h *handlers) public() httpapi.Routes {
	open := access.Throttled(readers)
	file := func(path, summary string) httpapi.Operation {
		return httpapi.Raw(http.MethodGet, path, summary, open, h.file, httpapi.Lenient())
	}
	return httpapi.Routes{
		httpapi.Raw(http.MethodGet, "/status/{slug}", "A status page", open, h.entrance, httpapi.Lenient()),
		file("/status/{slug}/{file}", "A file of a status page"),
		file("/status/{slug}/{folder}/{file}", "A file of a status page"),
	}
}

// entrance leads to the page's folder, from which its links lead on.
func (h *handlers) entrance(c *fiber.Ctx) error {
	slug := strings.Clone(c.Params("slug"))
	if !slugs().MatchString(slug) {
		return fault.Missing(fault.NoSuchThing)
	}
	guarded(c)
	return c.Redirect("/status/"+slug+"/index.html", http.StatusFound)
}

func (h *handlers) file(c *fiber.Ctx) error {
	slug, path := strings.Clone(c.Params("slug")), strings.Clone(c.Params("file"))
	if folder := c.Params("folder"); folder != "" {
		path = strings.Clone(folder) + "/" + path
	}
	var rows []fileRow
	if slugs().MatchString(slug) {
		err := h.store.db.In(c.UserContext()).NewSelect().Model(&rows).
			Join("join statuspage_targets t on t.id = f.target_id join statuspage_deploys d on d.id = t.live_deploy_id").
			Where("t.kind = ? and t.enabled and d.content ->> 'slug' = ? and f.path = ?", kindPanel, slug, path).Limit(1).
			Scan(c.UserContext())
		if err != nil {
			return database.Fault(err, nil)
		}
	}
	if len(rows) == 0 {
		return fault.Missing(fault.NoSuchThing)
	}
	guarded(c)
	return send(c, &rows[0])
}

// send answers with a file, or says that the reader has it already.
func send(c *fiber.Ctx, f *fileRow) error {
	tag := `"` + f.SHA256 + `"`
	c.Set(fiber.HeaderETag, tag)
	c.Set(fiber.HeaderCacheControl, "no-cache")
	if strings.HasPrefix(f.Path, "assets/") {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	if c.Get(fiber.HeaderIfNoneMatch) == tag {
		return c.SendStatus(http.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, f.MediaType)
	return c.Send(f.Content)
}

// guarded sets what a browser must know of every file.
func guarded(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, site.Policy()+"; frame-ancestors 'none'")
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set(fiber.HeaderReferrerPolicy, "no-referrer")
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set("Cross-Origin-Resource-Policy", "cross-origin")
}

// preview sends the page as the draft has it.
func (h *handlers) preview(c *fiber.Ctx) error {
	locale, mode := strings.Clone(c.Query("locale")), strings.Clone(c.Query("theme"))
	if mode != "" && mode != "light" && mode != "dark" && mode != "auto" {
		return fault.Malformed("bad_parameter", "theme is light, dark or auto")
	}
	page, err := h.service.preview(c.UserContext(), strings.Clone(c.Params("id")), locale, mode)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "+
		"base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox")
	c.Set(fiber.HeaderXFrameOptions, "SAMEORIGIN")
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	return c.Send(page)
}

// logo sends the logo of the draft.
func (h *handlers) logo(c *fiber.Ctx) error {
	row, err := h.logoOf(c.UserContext(), strings.Clone(c.Params("id")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, row.MediaType)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	return c.Send(row.Content)
}
