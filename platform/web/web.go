// Package web serves the embedded web interface: hashed assets for ever, the page with a fresh nonce each time.
package web

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io/fs"
	"mime"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/ui"
)

// nonceMark stands in the built page wherever the nonce of the answer belongs.
const nonceMark = "__CSP_NONCE__"

// file is one asset with its encodings, smallest first.
type file struct {
	plain, brotli, gzip []byte
	kind                string
}

type site struct {
	page  []byte
	files map[string]file
}

// Handler answers every path that no operation took: an asset, or the page of the single-page application.
func Handler() (fiber.Handler, error) {
	built, err := load(ui.FS())
	if err != nil {
		return nil, fmt.Errorf("read the built web interface: %w", err)
	}
	return built.serve, nil
}

func load(from fs.FS) (*site, error) {
	s := &site{files: map[string]file{}}
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
			return err
		}
		content, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		s.files["/"+name] = file{plain: content, brotli: sibling(from, name+".br"), gzip: sibling(from, name+".gz"), kind: kind(name)}
		return nil
	})
	s.page = s.files["/index.html"].plain
	delete(s.files, "/index.html")
	return s, err
}

func sibling(from fs.FS, name string) []byte {
	content, err := fs.ReadFile(from, name)
	if err != nil {
		return nil // an asset without this encoding is served plain
	}
	return content
}

func kind(name string) string {
	if found := mime.TypeByExtension(path.Ext(name)); found != "" {
		return found
	}
	return "application/octet-stream"
}

// machine prefixes belong to programs: an unknown address below them is a 404, never the page.
var machine = []string{"/api/", "/agent/", "/s/", "/install/", "/health", "/assets/", "/livez", "/readyz"}

func (s *site) serve(c *fiber.Ctx) error {
	if c.Method() != fiber.MethodGet && c.Method() != fiber.MethodHead {
		return c.Next()
	}
	if asset, known := s.files[c.Path()]; known {
		return sendAsset(c, asset)
	}
	for _, prefix := range machine {
		if strings.HasPrefix(c.Path(), prefix) {
			return c.Next()
		}
	}
	return s.sendPage(c)
}

func sendAsset(c *fiber.Ctx, asset file) error {
	c.Set(fiber.HeaderContentType, asset.kind)
	c.Set(fiber.HeaderVary, fiber.HeaderAcceptEncoding)
	c.Set(fiber.HeaderCacheControl, "public, max-age=3600")
	if strings.HasPrefix(c.Path(), "/assets/") {
		c.Set(fiber.HeaderCacheControl, "public, max-age=31536000, immutable")
	}
	accepted := c.Get(fiber.HeaderAcceptEncoding)
	switch {
	case asset.brotli != nil && strings.Contains(accepted, "br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return c.Send(asset.brotli)
	case asset.gzip != nil && strings.Contains(accepted, "gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return c.Send(asset.gzip)
	}
	return c.Send(asset.plain)
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
	return c.Send(bytes.ReplaceAll(s.page, []byte(nonceMark), []byte(nonce)))
}

func policy(nonce string) string {
	return "default-src 'self'; script-src 'self' 'nonce-" + nonce + "'; style-src 'self' 'nonce-" + nonce + "'; " +
		"img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; " +
		"frame-ancestors 'none'"
}
