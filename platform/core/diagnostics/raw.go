package diagnostics

import (
	"bytes"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"panel/platform/httpapi"
	"panel/platform/support"
)

var requests = httpapi.Strictly[BundleRequest]()

// download sends the bundle itself; nothing is left on the server.
func (h *handlers) download(c *fiber.Ctx) error {
	in, err := requests.Read(c.Body())
	if err != nil {
		return err
	}
	options, err := h.options(in.Since)
	if err != nil {
		return err
	}
	leave, err := h.alone()
	if err != nil {
		return err
	}
	defer leave()
	var packed bytes.Buffer
	manifest, err := support.Write(c.UserContext(), options, &packed)
	if err != nil {
		return err
	}
	if err := h.recorded(c.UserContext(), "support.bundle_downloaded", manifest); err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "application/gzip")
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="`+support.Name(manifest.CreatedAt)+`"`)
	c.Set(fiber.HeaderCacheControl, "no-store")
	c.Set("X-Panel-Masked", strconv.Itoa(manifest.MaskedTotal()))
	return c.Send(packed.Bytes())
}
