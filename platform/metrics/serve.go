package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
)

const (
	scrapeLimit = 10 * time.Second
	tryAgain    = 15 * time.Second
	mostScrapes = 4
	headerLimit = 8 << 10
)

// Handler answers a scrape.
func (r *Registry) Handler() http.Handler {
	return promhttp.HandlerFor(r.all, promhttp.HandlerOpts{
		Timeout: scrapeLimit, MaxRequestsInFlight: mostScrapes, ErrorHandling: promhttp.ContinueOnError,
	})
}

// Serve shows the metrics on the address until the context ends. An address that is taken does not keep the panel from its
// work: it is logged once and tried again, so that a panel which replaces another gets it in the end.
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
		Handler: routes, ReadHeaderTimeout: scrapeLimit, ReadTimeout: scrapeLimit, WriteTimeout: 2 * scrapeLimit, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: headerLimit,
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(on); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve metrics: %w", err)
	}
	return nil
}
