package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"
	"go.uber.org/zap"
)

const (
	scrapeLimit = 10 * time.Second
	tryAgain    = 15 * time.Second
	mostScrapes = 4
	headerLimit = 8 << 10
)

// Handler answers a scrape. More than a few at once are turned away, because each may ask the database.
func (r *Registry) Handler() http.Handler {
	slots := make(chan struct{}, mostScrapes)
	return http.TimeoutHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			http.Error(w, "too many scrapes at once", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(page(r.collectors())) // a scraper that went away needs no answer
	}), scrapeLimit, "the scrape took too long")
}

// Serve shows the metrics on the address until the context ends. An address that is taken does not keep the panel from
// its work: it is logged once and tried again, so that a panel which replaces another gets it in the end.
func (r *Registry) Serve(ctx context.Context, address string, clock clockwork.Clock, log *zap.Logger) error {
	warned := false
	for {
		listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err == nil {
			log.Info("metrics are served", zap.String("address", "http://"+listener.Addr().String()+"/metrics"))
			return r.answer(ctx, listener)
		}
		if !warned {
			warned = true
			log.Warn("metrics are not served until their address is free; set PANEL_METRICS_ADDR to another one if it stays taken",
				zap.String("address", address), zap.Error(err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-clock.After(tryAgain):
		}
	}
}

func (r *Registry) answer(ctx context.Context, on net.Listener) error {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", r.Handler())
	server := &http.Server{
		Handler: routes, ReadHeaderTimeout: scrapeLimit, ReadTimeout: scrapeLimit, WriteTimeout: 2 * scrapeLimit,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: headerLimit,
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
