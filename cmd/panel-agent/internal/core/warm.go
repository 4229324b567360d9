package core

import (
	"context"
	"math"
	"path/filepath"
	"strconv"
	"time"

	goreality "github.com/xtls/reality"
	xray "github.com/xtls/xray-core/core"
	"github.com/xtls/xray-core/transport/internet/reality"

	"panel/cmd/panel-agent/internal/disk"
)

// A REALITY inbound learns how its target answers before it can imitate it. Until then each connection waits five
// seconds, and every new process starts without that knowledge. So it is gathered before listening, and stored in a
// file that the next process reads.
const (
	warmLimit   = 9 * time.Second
	warmPause   = 50 * time.Millisecond
	warmKeep    = 24 * time.Hour
	warmFile    = "reality.json"
	alpnAnswers = 3 // no ALPN, http/1.1, h2: held apart by the library
)

type targetFacts struct {
	Records []int     `json:"records"`
	MaxCCS  int       `json:"max_ccs"`
	SeenAt  time.Time `json:"seen_at"`
}

// warm returns when every REALITY target is known or the limit is over; an unreachable target does not stop a start.
func warm(ctx context.Context, config *xray.Config, cacheDir string) error {
	inbounds, err := realityInbounds(config)
	if err != nil || len(inbounds) == 0 {
		return err
	}
	path := filepath.Join(cacheDir, warmFile)
	known := map[string]targetFacts{}
	if _, err := disk.ReadJSON(path, &known); err != nil {
		known = map[string]targetFacts{}
	}
	recall(known)
	keys := detect(inbounds)
	awaitDetection(ctx, keys)
	if remember(known, keys) {
		return disk.WriteJSON(path, known)
	}
	return nil
}

func recall(known map[string]targetFacts) {
	for key, facts := range known {
		if time.Since(facts.SeenAt) > warmKeep {
			continue
		}
		goreality.GlobalMaxCSSMsgCount.LoadOrStore(key, facts.MaxCCS)
		goreality.GlobalPostHandshakeRecordsLens.LoadOrStore(key, facts.Records)
	}
}

func detect(inbounds []*reality.Config) []string {
	var keys []string
	for _, inbound := range inbounds {
		goreality.DetectPostHandshakeRecordsLens(inbound.GetREALITYConfig())
		for _, name := range inbound.ServerNames {
			for alpn := range alpnAnswers {
				keys = append(keys, inbound.Dest+" "+name+" "+strconv.Itoa(alpn))
			}
		}
	}
	return keys
}

func awaitDetection(ctx context.Context, keys []string) {
	ctx, cancel := context.WithTimeout(ctx, warmLimit)
	defer cancel()
	tick := time.NewTicker(warmPause)
	defer tick.Stop()
	for !allDetected(keys) {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func allDetected(keys []string) bool {
	for _, key := range keys {
		value, _ := goreality.GlobalPostHandshakeRecordsLens.Load(key)
		if _, done := value.([]int); !done {
			return false
		}
	}
	return true
}

// remember keeps only what both probes of the library have answered; a target that was down is asked again next time.
func remember(known map[string]targetFacts, keys []string) (changed bool) {
	for _, key := range keys {
		if facts, ok := known[key]; ok && time.Since(facts.SeenAt) < warmKeep/2 {
			continue
		}
		records, _ := goreality.GlobalPostHandshakeRecordsLens.Load(key)
		lengths, ok := records.([]int)
		if !ok || len(lengths) == 0 {
			continue
		}
		known[key] = targetFacts{Records: lengths, MaxCCS: maxCCS(key), SeenAt: time.Now()}
		changed = true
	}
	return changed
}

func maxCCS(key string) int {
	value, _ := goreality.GlobalMaxCSSMsgCount.Load(key)
	if count, ok := value.(int); ok {
		return count
	}
	return math.MaxInt
}
