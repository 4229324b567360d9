package agentapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// NodeConfig is everything that one node shall serve. A revision never changes its content.
type NodeConfig struct {
	Revision  int64           `json:"revision" doc:"Rising number of this node's configurations"`
	Hash      string          `json:"hash" doc:"ContentHash of it"`
	Core      json.RawMessage `json:"core,omitempty" doc:"Configuration of the core (Xray JSON); absent = no core runs"`
	Listeners []Listener      `json:"listeners,omitempty" doc:"What the core listens on"`
}

// Listener is one socket of the core and the flow that it serves.
type Listener struct {
	Key    string `json:"key" doc:"Tag of the inbound in the core configuration"`
	FlowID string `json:"flow_id" doc:"Flow that it belongs to"`
	L4     string `json:"l4" doc:"tcp or udp; an inbound of both appears twice"`
	IP     string `json:"ip" doc:"Address that it listens on"`
	Port   int    `json:"port" doc:"Port"`
}

// ContentHash is the hex SHA-256 over the canonical form of core and listeners. Order of keys, white space and
// the revision do not count, so an unchanged configuration is seen as such. It fails when Core is no JSON.
func (c NodeConfig) ContentHash() (string, error) {
	core, err := Canonical(c.Core)
	if err != nil {
		return "", fmt.Errorf("hash a node configuration: %w", err)
	}
	listeners, err := json.Marshal(c.Listeners)
	if err != nil {
		return "", fmt.Errorf("hash a node configuration: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%d:", len(core))
	sum.Write(core)
	if len(c.Listeners) > 0 {
		sum.Write(listeners)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// Canonical rewrites JSON with sorted keys and no white space. Nothing and null both give nothing.
func Canonical(raw json.RawMessage) ([]byte, error) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || bytes.Equal(trimmed, []byte("null")) {
		return nil, nil
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(trimmed))
	dec.UseNumber()
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if dec.More() {
		return nil, fmt.Errorf("read JSON: more than one value")
	}
	return json.Marshal(value)
}

// HasCore says whether this configuration wants a core to run.
func (c NodeConfig) HasCore() bool {
	trimmed := bytes.TrimSpace(c.Core)
	return len(trimmed) > 0 && !bytes.Equal(trimmed, []byte("null"))
}

// Stage is the part of an installation that an outcome speaks of.
type Stage string

// Stages in the order in which they happen.
const (
	StageFetch  Stage = "fetch"  // get the configuration from the panel and compare its hash
	StageTest   Stage = "test"   // the core reads the configuration without serving it
	StageSwitch Stage = "switch" // the new core listens, the old one drains
	StageCommit Stage = "commit" // it is now the last good configuration
	StageRevert Stage = "revert" // back to the last good configuration
	StageRun    Stage = "run"    // later, while serving: the core kept crashing
)

// ConfigResult reports what became of a configuration outside of a command: desired state that the agent
// followed by itself, or a crash loop that took it back to the last good one.
type ConfigResult struct {
	Revision        int64  `json:"revision" doc:"Revision that this speaks of"`
	Hash            string `json:"hash,omitempty" doc:"Its hash"`
	OK              bool   `json:"ok" doc:"It is installed"`
	Stage           Stage  `json:"stage" doc:"Where it ended"`
	Error           string `json:"error,omitempty" doc:"What failed and why"`
	StderrTail      string `json:"stderr_tail,omitempty" doc:"Last 4 KiB of the core's own words"`
	RunningRevision int64  `json:"running_revision" doc:"Revision that the core serves now; 0 = none"`
	RunningHash     string `json:"running_hash,omitempty" doc:"Its hash"`
}
