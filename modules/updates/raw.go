package updates

import (
	"fmt"
	"os"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// file sends the executable from the disk, without reading it into memory. It is opened anew each time: a release that
// took the place of another a moment ago must not be answered from what is remembered of that one.
func (h *handlers) file(c *fiber.Ctx) error {
	path, err := h.builds.file(c.UserContext(), strings.Clone(c.Params("os"))+"/"+strings.Clone(c.Params("arch")))
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the agent executable: %w", err)
	}
	about, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return fmt.Errorf("open the agent executable: %w", err)
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	return c.SendStream(file, int(about.Size())) // closes the file
}
