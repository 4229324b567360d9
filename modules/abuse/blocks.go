package abuse

import (
	"context"
	"net/http"

	"github.com/jonboulle/clockwork"

	"panel/modules/abuse/internal/blocks"
	"panel/modules/abuse/internal/watching"
	"panel/modules/nodes/nodesapi"
	"panel/platform/access"
	"panel/platform/audit"
	"panel/platform/config"
	"panel/platform/database"
	"panel/platform/events"
	"panel/platform/httpapi"
)

func newBlocks(
	db *database.DB, clock clockwork.Clock, j audit.Journal, bus *events.Bus, w *watching.Watching,
	fleet nodesapi.Fleet, documents nodesapi.Documents, cfg *config.Config,
) *blocks.Blocks {
	return blocks.New(blocks.Tools{
		DB: db, Clock: clock, Journal: j, Bus: bus, Watching: w, Fleet: fleet, Docs: documents,
		PanelURL: cfg.String(config.PublicURL),
	})
}

// blockEvents are the kinds of events about blocks.
func blockEvents() []events.Kind {
	return []events.Kind{
		{
			Name: blocks.EventBlocked, Summary: "Nodes do not answer an address for a time", Needs: View, Live: true,
			Subject: blocks.Object, Data: blocks.News{},
		},
		{
			Name: blocks.EventLifted, Summary: "Nodes answer an address again", Needs: View, Live: true,
			Subject: blocks.Object, Data: blocks.News{},
		},
	}
}

func (h *handlers) blockRoutes(view, manage access.Rule) httpapi.Routes {
	return httpapi.Under("/api/v1/abuse", feature,
		httpapi.Get("/blocks", "List addresses that nodes do not answer", view, h.listBlocks, httpapi.UngatedReads()),
		httpapi.Post("/blocks", "Keep nodes from answering an address or network for a time", manage, h.block,
			httpapi.Status(http.StatusCreated)),
		httpapi.Post("/blocks/{id}/unblock", "Let nodes answer an address or network again", manage, h.unblock),
		httpapi.Delete("/blocks/{id}", "Lift a block, or take one that is over from the list", manage, h.removeBlock,
			httpapi.Status(http.StatusNoContent)),
	)
}

type blocksInput struct {
	httpapi.PageQuery
	State   string `query:"state" enum:"active,ended,lifted"`
	Network string `query:"network" maxLength:"64" doc:"Part of the address or network"`
}

// BlockPath names a block.
type BlockPath struct {
	ID string `path:"id" maxLength:"64"`
}

type blockInput struct{ Body blocks.NewBlock }

func (h *handlers) listBlocks(ctx context.Context, in *blocksInput) (*body[httpapi.Page[blocks.Block]], error) {
	page, err := h.blocks.Page(ctx, blocks.Filter{PageQuery: in.PageQuery, State: in.State, Network: in.Network})
	return &body[httpapi.Page[blocks.Block]]{page}, err
}

func (h *handlers) block(ctx context.Context, in *blockInput) (*body[blocks.Block], error) {
	made, err := h.blocks.Add(ctx, in.Body)
	return &body[blocks.Block]{made}, err
}

func (h *handlers) unblock(ctx context.Context, in *BlockPath) (*body[blocks.Block], error) {
	lifted, err := h.blocks.Lift(ctx, in.ID)
	return &body[blocks.Block]{lifted}, err
}

func (h *handlers) removeBlock(ctx context.Context, in *BlockPath) (*struct{}, error) {
	return nil, h.blocks.Remove(ctx, in.ID)
}
