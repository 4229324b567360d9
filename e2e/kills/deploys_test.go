package kills

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/e2e/rig"
	"panel/e2e/rig/rigtest"
	"panel/platform/database/dbtest"
)

// Rule: kill -9 of the panel at each statement of a deploy of a status page: readers see the old page or the new one,
// each whole, at every moment; the deploy goes on by itself and is told once. PANEL_TEST_KILLS asks for every
// statement.
func TestKillsInTheMiddleOfADeployShowTheOldPageOrTheNewOne(t *testing.T) {
	t.Parallel()
	p := beginPages(t)
	p.publish("first", 0)
	statements := len(p.wire.counted())
	require.Greater(t, statements, 15, "of a deploy")
	number := min(kills(t), statements)
	for i := range number {
		p.publish(fmt.Sprintf("version %d", i), 1+i*statements/number)
	}
	require.Empty(t, p.stop(), "what a reader saw that was no whole page")
	require.Equal(t, number+1, p.told())
	t.Logf("killed before %d of %d statements", number, statements)
}

// pages is a panel with a status page in a folder, and a reader who looks at it all the time.
type pages struct {
	*testing.T
	stand *rig.Stand
	wire  *wire
	page  string
	index string
	stop  func() []string
}

func beginPages(t *testing.T) *pages {
	t.Helper()
	p := &pages{T: t}
	through, folder := "", t.TempDir()
	p.wire, through = newWire(t, dbtest.Empty(t), "statuspage_deploys")
	p.stand = rigtest.Install(t, rig.PanelSettings{DSN: through, Env: []string{"PANEL_STATUSPAGE_DIR=" + folder}})
	p.index = filepath.Join(folder, "www", "index.html")
	var page struct{ ID string }
	require.NoError(t, p.stand.API.Post(t.Context(), "/api/v1/statuspage/pages",
		map[string]any{"slug": "service", "titles": map[string]string{"en": "Service"}}, &page))
	p.page = "/api/v1/statuspage/pages/" + page.ID
	require.NoError(t, p.stand.API.Post(t.Context(), p.page+"/targets",
		map[string]any{"kind": "local", "label": "www", "config": map[string]string{"folder": "www"}}, nil))
	p.read()
	return p
}

// read looks at the page until it is stopped and keeps what was no whole page.
func (p *pages) read() {
	ctx, cancel := context.WithCancel(p.Context())
	var broken []string
	var reader sync.WaitGroup
	reader.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for ctx.Err() == nil {
			content, err := os.ReadFile(p.index)
			if text := string(content); err == nil && !isWhole(text) {
				broken = append(broken, text)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	p.stop = func() []string {
		cancel()
		reader.Wait()
		return broken
	}
	p.Cleanup(func() { p.stop() })
}

func isWhole(page string) bool {
	return strings.HasPrefix(page, "<!doctype html>") && strings.HasSuffix(page, "</html>\n")
}

// publish changes the page, deploys it and waits until readers see it. The panel is killed before the statement of the
// deploy with the number; 0: it lives.
func (p *pages) publish(title string, killAt int) {
	p.Helper()
	var page struct{ Revision int }
	p.until(func(ctx context.Context) bool {
		return p.stand.API.Get(ctx, p.page, &page) == nil && p.stand.API.Patch(ctx, p.page, map[string]any{
			"revision": page.Revision, "titles": map[string]string{"en": title},
		}, &page) == nil
	})
	var kill func()
	if pid := p.stand.Panel.PID(); killAt > 0 {
		kill = func() { _ = syscall.Kill(pid, syscall.SIGKILL) }
	}
	p.wire.count(killAt, kill)
	_ = p.stand.API.Post(p.Context(), p.page+"/deploy", map[string]any{"revision": page.Revision}, nil) // it may die
	if killAt > 0 {
		select {
		case <-p.stand.Panel.Ended():
		case <-time.After(20 * time.Second): // it took fewer statements this time
			p.stand.Panel.Kill()
		}
		p.wire.counted()
		require.NoError(p, p.stand.Panel.Up(p.Context()))
	}
	p.settle(page.Revision)
	p.until(func(context.Context) bool {
		content, err := os.ReadFile(p.index)
		return err == nil && strings.Contains(string(content), "<title>"+title+"</title>")
	})
}

// settle waits until no deploy is under way, and begins the one whose order died with the panel.
func (p *pages) settle(revision int) {
	p.Helper()
	p.until(func(ctx context.Context) bool {
		var list struct {
			Items []struct {
				Revision int
				State    string
			}
		}
		if p.stand.API.Get(ctx, p.page+"/deploys?limit=1", &list) != nil {
			return false
		}
		if len(list.Items) == 0 || list.Items[0].Revision != revision {
			// What becomes of it is seen by the next look.
			_ = p.stand.API.Post(ctx, p.page+"/deploy", map[string]any{"revision": revision}, nil)
			return false
		}
		return list.Items[0].State == "live"
	})
}

func (p *pages) told() int {
	p.Helper()
	var page struct{ Total int }
	require.NoError(p, p.stand.API.Get(p.Context(), "/api/v1/audit?action=statuspage.deployed", &page))
	return page.Total
}

func (p *pages) until(holds func(context.Context) bool) {
	p.Helper()
	const most, every = 4 * time.Minute, 50 * time.Millisecond
	require.Eventually(p, func() bool { return holds(p.Context()) }, most, every, p.stand.Panel.LastWords())
}
