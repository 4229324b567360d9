package proxypanel

import (
	"context"

	"panel/modules/proxypanel/internal/people"
	"panel/modules/proxypanel/internal/remnawave"
	"panel/modules/proxypanel/internal/shadow"
	"panel/modules/proxypanel/proxypanelapi"
)

// exportPeople lets other modules act on users of proxy panels.
func exportPeople(c *connections, s *shadow.Shadow) proxypanelapi.People {
	return &people.People{Shadow: s, Open: func(ctx context.Context, id string) (*remnawave.Client, error) {
		_, client, err := c.open(ctx, id)
		return client, err
	}}
}
