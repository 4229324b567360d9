// Package web serves the embedded web interface: hashed assets for ever, the page with a fresh nonce each time.
package web

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/platform/httpapi"
	"panel/ui"
)

// nonceMark stands in the built page wherever the nonce of the answer belongs.
const nonceMark = "__CSP_NONCE__"

// asset is one file with its encodings. Its bytes stay in the executable until somebody asks for them: read at the
// start they would be held twice.
type asset struct {
	plain, brotli, gzip stored
	kind                string
}

// stored is one file of the built interface; an empty name says that there is none.
type stored struct {
	name string
	size int64
}

type site struct {
	from  fs.FS
	page  []byte
	files map[string]asset
}

// Handler answers every path that no operation took: an asset, or the page of the single-page application.
func Handler() (fiber.Handler, error) {
	built, err := load(ui.FS())
	if err != nil {
		return nil, fmt.Errorf("read the built web interface: %w", err)
	}
	return built.serve, nil
}

const pageFile = "index.html"

func load(from fs.FS) (*site, error) {
	page, err := fs.ReadFile(from, pageFile)
	if err != nil {
		return nil, err
	}
	s := &site{from: from, page: page, files: map[string]asset{}}
	return s, fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || name == pageFile || strings.HasSuffix(name, ".br") || strings.HasSuffix(name,
			".gz") {
			return err
		}
		s.files["/"+name] = asset{
			plain: find(from, name), brotli: find(from, name+".br"), gzip: find(from, name+".gz"),
			kind: kind(name),
		}
		return nil
	})
}

func find(from fs.FS, name string) stored {
	info, err := fs.Stat(from, name)
	if err != nil {
		return stored{} // an asset without this encoding is served plain
	}
	return stored{name: name, size: info.Size()}
}

// kinds of the files that the build of the interface makes. They are told here, because the standard library asks the
// files of the operating system, where the same asset has another kind on another machine.
var kinds = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2", ".png": "image/png", ".ico": "image/x-icon", ".txt": "text/plain; charset=utf-8",
}

func kind(name string) string {
	if known := kinds[path.Ext(name)]; known != "" {
		return known
	}
	return fiber.MIMEOctetStream
}

// machine prefixes belong to programs: an unknown address below them is a 404, never the page.
var machine = []string{
	"/api/", "/agent/", "/s/", "/sub/", "/status/", "/install/", "/health", "/assets/", "/livez", "/readyz",
}

func (s *site) serve(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead {
		return c.Next()
	}
	if found, known := s.files[c.Path()]; known {
		return s.sendAsset(c, found)
	}
	for _, prefix := range machine {
		if strings.HasPrefix(c.Path(), prefix) {
			return c.Next()
		}
	}
	return s.sendPage(c)
}

func (s *site) sendAsset(c *fiber.Ctx, a asset) error {
	c.Set(fiber.HeaderContentType, a.kind)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
	if strings.HasPrefix(c.Path(), "/assets/") {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	accepted := c.Get(fiber.HeaderAcceptEncoding)
	switch {
	case a.brotli.name != "" && strings.Contains(accepted, "br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return s.send(c, a.brotli)
	case a.gzip.name != "" && strings.Contains(accepted, "gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return s.send(c, a.gzip)
	}
	return s.send(c, a.plain)
}

// send hands the file to the server, which closes it.
func (s *site) send(c *fiber.Ctx, f stored) error {
	content, err := s.from.Open(f.name)
	if err != nil {
		return fmt.Errorf("read %s of the web interface: %w", f.name, err)
	}
	return c.SendStream(content, int(f.size))
}

const nonceBytes = 18

// sendPage renders the page with its own nonce; nothing inline runs without it.
func (s *site) sendPage(c *fiber.Ctx) error {
	raw := make([]byte, nonceBytes)
	_, _ = rand.Read(raw) // never fails: the runtime ends the process instead
	nonce := base64.StdEncoding.EncodeToString(raw)
	c.Set(fiber.HeaderContentSecurityPolicy, policy(nonce))
	c.Set(fiber.HeaderXFrameOptions, "DENY")
	c.Set("Cross-Origin-Opener-Policy", "same-origin")
	c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
	c.Set(fiber.HeaderCacheControl, "no-store")
	if err := c.Send(bytes.ReplaceAll(s.page, []byte(nonceMark), []byte(nonce))); err != nil {
		return err
	}
	httpapi.Compress(c) // its nonce is of this answer alone, and nothing that came with the request is repeated in it
	return nil
}

func policy(nonce string) string {
	return "default-src 'self'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self' 'nonce-" + nonce + "'; " +
		"img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
}
