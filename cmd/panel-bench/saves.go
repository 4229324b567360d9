package main

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"panel/cmd/panel-bench/internal/measure"
	"panel/cmd/panel-bench/internal/seed"
)

const (
	savers       = 60
	savesCeiling = 1.00
)

// savesAtOnce (P15) lets 60 people save a draft each in the same moment. Whoever waits for a lock or a connection that
// another saver holds shows here: together they may take as long as one after the other, and no longer.
func savesAtOnce(ctx context.Context, b *bench) ([]measure.Result, error) {
	s, err := b.installBare(ctx, "saves", func(ctx context.Context, dsn string) error {
		_, err := seed.Fleet(ctx, dsn, fewNodes)
		return err
	})
	if err != nil {
		return nil, err
	}
	drafts, err := s.drafts(ctx)
	if err != nil {
		return nil, err
	}
	limit := func() (float64, error) { return s.saveAll(ctx, drafts, 1) }
	product := func() (float64, error) { return s.saveAll(ctx, drafts, savers) }
	if _, err := limit(); err != nil {
		return nil, err
	}
	one, all, err := b.pairs(limit, product)
	return []measure.Result{
		measure.AtMost("P15", "60 saves at once against one after the other", "ms", one, all, savesCeiling),
	}, err
}

// draft is a flow as its saver knows it.
type draft struct {
	id, entry, exit string
	port            int
	Revision        int `json:"revision"`
}

// drafts draws a flow for every saver.
func (s *stand) drafts(ctx context.Context) ([]*draft, error) {
	var fleet struct {
		Items []struct{ ID string }
	}
	if err := s.API.Get(ctx, "/api/v1/nodes?limit=2", &fleet); err != nil {
		return nil, err
	}
	drafts := make([]*draft, savers)
	for i := range drafts {
		d := &draft{entry: fleet.Items[0].ID, exit: fleet.Items[1].ID, port: 20_000 + i}
		flow, err := s.API.Draw(ctx, fmt.Sprintf("flow %02d", i), twoHops(d.entry, d.exit, d.port))
		if err != nil {
			return nil, err
		}
		d.id = flow.ID
		if err := s.API.Get(ctx, d.path(), d); err != nil {
			return nil, err
		}
		drafts[i] = d
	}
	return drafts, nil
}

func (d *draft) path() string { return "/api/v1/connection-units/" + d.id + "/draft" }

// saveAll saves every draft once, so many at a time, and gives the milliseconds until the last save was answered.
func (s *stand) saveAll(ctx context.Context, drafts []*draft, atOnce int) (float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	began := time.Now()
	for _, d := range drafts {
		group.Go(func() error {
			d.port += savers // a save that changes nothing could be answered without a write
			body := object{"revision": d.Revision, "graph": twoHops(d.entry, d.exit, d.port)}
			return s.API.Put(ctx, d.path(), body, d)
		})
	}
	err := group.Wait()
	return milliseconds(time.Since(began)), err
}
