package app

import (
	"context"
	"net/http"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"go.uber.org/zap"
)

// supervise tells the service manager that the panel is ready, that it still answers, where it wants to know, and that
// it stops. Without a service manager it does nothing.
func supervise(ctx context.Context, address string, log *zap.Logger) {
	notify(daemon.SdNotifyReady, log)
	defer notify(daemon.SdNotifyStopping, log)
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil || every == 0 {
		<-ctx.Done()
		return
	}
	ticker := time.NewTicker(every / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if answers(ctx, address, every/3) {
				notify(daemon.SdNotifyWatchdog, log)
			}
		case <-ctx.Done():
			return
		}
	}
}

func notify(state string, log *zap.Logger) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("the service manager was not told", zap.String("state", state), zap.Error(err))
	}
}

// answers is asked from outside, through the port: a panel whose server hangs is not alive.
func answers(ctx context.Context, address string, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/livez", nil)
	if err != nil {
		return false
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}
