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
	batch, err := read(c, agentapi.PathAbuseSignals, h.intake.Paced, signalBatches)
	if err != nil {
		return err
	}
	if err := h.intake.Signals(c.UserContext(), nodeOf(c.UserContext()), batch); err != nil {
		return err
	}
	return taken(c, batch.Seq)
}

func (h *handlers) takeDiversity(c *fiber.Ctx) error {
	batch, err := read(c, agentapi.PathSessionDiversity, h.intake.Paced, diversityBatches)
	if err != nil {
		return err
	}
	if err := h.intake.Diversity(c.UserContext(), nodeOf(c.UserContext()), batch); err != nil {
		return err
	}
	return taken(c, batch.Seq)
}

// read gives the batch of a request, unless its agent has sent another one a moment ago.
func read[T any](
	c *fiber.Ctx, path string, paced func(path, nodeID string) error, form *httpapi.Document[T],
) (*T, error) {
	if err := paced(path, nodeOf(c.UserContext())); err != nil {
		return nil, err
	}
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
