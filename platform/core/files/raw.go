package files

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/files"
)

type assets struct{ store *files.Store }

// send gives a file without reading it into memory.
func (a assets) send(c *fiber.Ctx) error {
	ctx := c.UserContext()
	content, file, err := a.store.OpenFor(ctx, access.From(ctx).NodeID, strings.Clone(c.Params("sha256")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	c.Set(fiber.HeaderETag, `"`+file.SHA256+`"`)
	return c.SendStream(content, int(file.Size)) // closes the content
}
