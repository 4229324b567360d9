package abuse

import (
	"context"

	"github.com/gofiber/fiber/v2"

	"panel/platform/access"
	"panel/platform/agentapi"
	"panel/platform/httpapi"
)

var (
	signalBatches    = httpapi.Leniently[agentapi.AbuseBatch]()
	diversityBatches = httpapi.Leniently[agentapi.DiversityBatch]()
)

// takeSignals is decoded by hand, as all batches of agents are: they may come as gzip.
func (h *handlers) takeSignals(c *fiber.Ctx) error {
	batch, err := read(c, signalBatches)
	if err != nil {
		return err
	}
	ctx, node := c.UserContext(), nodeOf(c.UserContext())
	if err := h.intake.Paced(agentapi.PathAbuseSignals, node, batch.StreamID, batch.Seq); err != nil {
		return err
	}
	if err := h.intake.Signals(ctx, node, batch); err != nil {
		return err
	}
	return taken(c, batch.Seq)
}

func (h *handlers) takeDiversity(c *fiber.Ctx) error {
	batch, err := read(c, diversityBatches)
	if err != nil {
		return err
	}
	ctx, node := c.UserContext(), nodeOf(c.UserContext())
	if err := h.intake.Paced(agentapi.PathSessionDiversity, node, batch.StreamID, batch.Seq); err != nil {
		return err
	}
	if err := h.intake.Diversity(ctx, node, batch); err != nil {
		return err
	}
	return taken(c, batch.Seq)
}

func read[T any](c *fiber.Ctx, form *httpapi.Document[T]) (*T, error) {
	text, err := httpapi.Inflated(c, agentapi.MaxBody)
	if err != nil {
		return nil, err
	}
	return form.Read(text)
}

func taken(c *fiber.Ctx, seq int64) error {
	return c.Status(fiber.StatusAccepted).JSON(agentapi.BatchReply{AckedSeq: seq})
}

func nodeOf(ctx context.Context) string { return access.From(ctx).NodeID }
