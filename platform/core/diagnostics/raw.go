package diagnostics

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"panel/platform/fault"
	"panel/platform/support"
)

// download sends the bundle itself; nothing is left on the server.
func (h *handlers) download(c *fiber.Ctx) error {
	var in struct {
		Since string `json:"since"`
	}
	if json.Unmarshal(c.Body(), &in) != nil {
		return fault.Malformed("bad_json", `the body must be a JSON document such as {"since": "24h"}`)
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
