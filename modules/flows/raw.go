package flows

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/modules/flows/internal/plan"
	"panel/platform/access"
	"panel/platform/httpapi"
)

func (h *handlers) rawRoutes() httpapi.Routes {
	return httpapi.Routes{
		httpapi.Raw(
			http.MethodGet,
			"/s/{token}",
			"A client's subscription",
			access.Throttled(access.PublicLimit),
			h.subscription,
			httpapi.Lenient(),
		),
	}
}

// subscription answers client applications with a list of links and browsers with a page that says what this is.
func (h *handlers) subscription(c *fiber.Ctx) error {
	links, title, err := h.s.subscription(c.UserContext(), strings.Clone(c.Params("token")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderCacheControl, noStore)
	if strings.Contains(c.Get(fiber.HeaderAccept), "text/html") {
		c.Set(fiber.HeaderContentType, fiber.MIMETextHTMLCharsetUTF8)
		return c.SendString(fmt.Sprintf(subscriptionPage, html.EscapeString(title), html.EscapeString(title),
			len(links)))
	}
	c.Set("profile-title", "base64:"+base64.StdEncoding.EncodeToString([]byte(title)))
	c.Set("profile-update-interval", "12")
	c.Set(fiber.HeaderContentType, fiber.MIMETextPlainCharsetUTF8)
	return c.Send(plan.Subscription(links))
}

const subscriptionPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>%s</title></head><body><h1>%s</h1>
<p>This address is a subscription with %d connections. Copy it into your client application; it holds your access, so keep it to yourself.</p></body></html>`
