package nodes

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"

	"github.com/gofiber/fiber/v2"

	"panel/modules/nodes/internal/telemetry"
	"panel/platform/agentapi"
	"panel/platform/fault"
	"panel/platform/httpapi"
)

// metricsBatch is decoded by hand: it is the busiest operation, and the typed layer reads every body twice.
func (h *handlers) metricsBatch(c *fiber.Ctx) error {
	text, err := inflated(c)
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
	text, err := inflated(c)
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

// inflated reads the body up to the limit, which counts what comes out of gzip.
func inflated(c *fiber.Ctx) ([]byte, error) {
	raw := c.Request().Body()
	if c.Get(fiber.HeaderContentEncoding) != "gzip" {
		return within(raw)
	}
	reader, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fault.Malformed("bad_json", "the body is not gzip")
	}
	text, err := io.ReadAll(io.LimitReader(reader, agentapi.MaxBody+1))
	if err != nil {
		return nil, fault.Malformed("bad_json", "the body is not gzip")
	}
	return within(text)
}

func within(text []byte) ([]byte, error) {
	if len(text) > agentapi.MaxBody {
		return nil, fault.TooLarge("a body of an agent may have 1 MiB")
	}
	return text, nil
}

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
