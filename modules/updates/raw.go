package updates

import (
	"strings"

	"github.com/gofiber/fiber/v2"
)

// file sends the executable from the disk, without reading it into memory.
func (h *handlers) file(c *fiber.Ctx) error {
	path, err := h.builds.file(c.UserContext(), strings.Clone(c.Params("os"))+"/"+strings.Clone(c.Params("arch")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	return c.SendFile(path, false)
}
