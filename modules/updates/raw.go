package updates

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// file sends the executable without reading it into memory.
func (h *handlers) file(c *fiber.Ctx) error {
	platform := strings.Clone(c.Params("os")) + "/" + strings.Clone(c.Params("arch"))
	content, about, err := h.builds.open(c.UserContext(), platform)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	return c.SendStream(content, int(about.Size)) // closes the content
}
