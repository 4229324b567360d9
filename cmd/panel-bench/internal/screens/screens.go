// Package screens looks at the web interface of a panel in Chromium and judges what it measures there.
package screens

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"panel/cmd/panel-bench/internal/measure"
)

// Seen is what the browser measured.
type Seen struct {
	Requests float64  `json:"first_requests"`
	Script   float64  `json:"first_script_kb"`
	Overview openings `json:"overview"`
	Nodes    openings `json:"nodes"`
	Drawing  struct {
		Blocks   int     `json:"blocks"`
		Arranged float64 `json:"arranged_ms"`
		Frame    float64 `json:"frame_ms"`
		Rate     float64 `json:"frames_per_second"`
	} `json:"drawing"`
	Live struct {
		Rows         float64 `json:"rows"`
		Loaded       int     `json:"loaded"`
		Answer       float64 `json:"answer_ms"`
		AnswerWork   float64 `json:"answer_work_ms"`
		Slowest      float64 `json:"slowest_ms"`
		Heap         float64 `json:"heap_mb"`
		Growth       float64 `json:"heap_growth_mb"`
		MainThread   float64 `json:"main_thread_pct"`
		AllProcesses float64 `json:"all_processes_pct"`
	} `json:"live"`
}

// opened is how long a page took, in milliseconds.
type opened struct {
	Shown       float64 `json:"shown"`
	Interactive float64 `json:"interactive"`
	Work        float64 `json:"work"` // of the main thread, whoever else had the processor
}

// openings are those of one page, one after the other.
type openings []opened

// series are one figure of all openings.
func (o openings) series(figure func(opened) float64) (s measure.Series) {
	for _, one := range o {
		s = append(s, figure(one))
	}
	return s
}

// within judges when a page can be used, by the median of its openings.
func (o openings) within(what string, ceiling float64) measure.Result {
	shown := o.series(func(one opened) float64 { return one.Shown })
	work := o.series(func(one opened) float64 { return one.Work })
	return measure.Below("P20", what, "ms", o.series(func(one opened) float64 { return one.Interactive }), ceiling).
		Note("shown after %.0f ms; the main thread worked %.0f ms", shown.Median(), work.Median())
}

// Look opens the pages of a panel as whoever has the session, the drawing of a flow among them; the list of nodes stays
// open for so long. Folder is that of the web interface. Only the browser's own words say what went wrong in it.
func Look(ctx context.Context, folder, url, session, flow string, length time.Duration) (*Seen, error) {
	script := filepath.Join("e2e", "measure", "fleet.mjs")
	cmd := exec.CommandContext(ctx, "node", script, url, strconv.Itoa(int(length.Seconds())), flow)
	var words bytes.Buffer
	cmd.Dir, cmd.Stdin, cmd.Stderr = folder, strings.NewReader(session), &words
	printed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("look at the interface with Chromium: %w: %s", err, words.String())
	}
	got := new(Seen)
	if err := json.Unmarshal(printed, got); err != nil {
		return nil, fmt.Errorf("read what the browser measured: %w", err)
	}
	return got, nil
}

// Opening judges what the first route asks for and when pages can be used.
func (s *Seen) Opening() []measure.Result {
	below := func(what, unit string, value, ceiling float64) measure.Result {
		return measure.Below("P20", what, unit, measure.Series{value}, ceiling)
	}
	const slow = "interactive at a quarter of the processor, 5,000 nodes"
	return []measure.Result{
		below("requests of the first route, empty cache", "", s.Requests, 30),
		below("script of the first route on the wire", "kB", s.Script, 300),
		s.Overview.within("overview "+slow, 1500),
		s.Nodes.within("node list "+slow, 1500),
	}
}

// Drawn judges how fast a large drawing answers.
func (s *Seen) Drawn() []measure.Result {
	below := func(what string, value, ceiling float64) measure.Result {
		return measure.Below("P21", "drawing of 200 blocks: "+what, "ms", measure.Series{value}, ceiling)
	}
	drawing := s.Drawing
	return []measure.Result{
		below("arranged after the key", drawing.Arranged, 300).Note("%d shapes on the canvas", drawing.Blocks),
		below("main thread for a frame of panning", drawing.Frame, 10).Note("%.0f frames a second", drawing.Rate),
	}
}

// Living judges what a page costs that stayed open for so long.
func (s *Seen) Living(length time.Duration) []measure.Result {
	below := func(what, unit string, value, ceiling float64) measure.Result {
		return measure.Below("P21", "node list open over 5,000 living nodes: "+what, unit, measure.Series{value}, ceiling)
	}
	live := s.Live
	return []measure.Result{
		below("rows in the document", "", live.Rows, 150).Note("%d rows are loaded", live.Loaded),
		below("answer to a person, the slowest but one in fifty", "ms", live.Answer, 200).
			Note("slowest of all %.0f ms", live.Slowest),
		below("work of the main thread for it, whoever else has the processor", "ms", live.AnswerWork, 200),
		below("growth of the heap", "MB", live.Growth, 10).Note("from %.1f MB, in %s", live.Heap, length),
		below("processor of the main thread", "% of a core", live.MainThread, 10).
			Note("all processes of the browser, which draws in software: %.1f %%", live.AllProcesses),
	}
}
