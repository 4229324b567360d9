package proxypanel

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"panel/modules/proxypanel/internal/webhooks"
)

// takeWebhook takes a body as it came; of what stands in it nothing is kept.
func (h *handlers) takeWebhook(c *fiber.Ctx) error {
	err := h.webhooks.Take(c.UserContext(), c.Params("hook_id"), c.Get(webhooks.SignatureHeader), c.Request().Body())
	if err != nil {
		return err
	}
	return c.SendStatus(http.StatusAccepted)
}
