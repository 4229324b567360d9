package nodes

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/modules/nodes/internal/telemetry"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

// metricsBatch is decoded by hand: it is the busiest operation, and the typed layer reads every body twice.
func (h *handlers) metricsBatch(c *fiber.Ctx) error {
	text, err := httpapi.Inflated(c, agentapi.MaxBody)
	if err != nil {
		return err
	}
	batch, err := telemetry.ReadBatch(text)
	if err != nil {
		return err
	}
	if err := h.telemetry.Take(c.UserContext(), nodeOf(c.UserContext()), batch); err != nil {
		return err
	}
	return c.JSON(agentapi.MetricsReply{AckedSeq: batch.Seq})
}

// batch is decoded by hand, like samples: its items belong to the module that reads the kind.
func (h *handlers) batch(c *fiber.Ctx) error {
	text, err := httpapi.Inflated(c, agentapi.MaxBody)
	if err != nil {
		return err
	}
	batch, err := batches.Read(text)
	if err != nil {
		return err
	}
	batch.Kind = agentapi.BatchKind(strings.Clone(c.Params("kind")))
	if err := h.agents.Batch(c.UserContext(), nodeOf(c.UserContext()), batch); err != nil {
		return err
	}
	return c.JSON(agentapi.BatchReply{AckedSeq: batch.Seq})
}

var batches = httpapi.Leniently[agentapi.Batch]()

func (h *handlers) installScript(c *fiber.Ctx) error {
	c.Set(fiber.HeaderContentType, "text/x-shellscript; charset=utf-8")
	return c.SendString(h.installer.Script())
}

func (h *handlers) installBinary(c *fiber.Ctx) error {
	found, err := h.installer.Binary(strings.Clone(c.Params("os")), strings.Clone(c.Params("arch")))
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	c.Set("X-Checksum-Sha256", found.SHA256)
	return c.SendFile(found.Path, false)
}
