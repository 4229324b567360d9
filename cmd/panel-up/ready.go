package main

import (
	"fmt"
	"os"
)

// ready is what scripts learn about the stand; it holds secrets and is readable by its owner only.
type ready struct {
	URL       string         `json:"url"`
	Username  string         `json:"username"`
	Password  string         `json:"password"`
	NodeID    string         `json:"node_id"`
	FlowID    string         `json:"flow_id"`
	Link      string         `json:"link"`
	ProbeURL  string         `json:"probe_url"`
	TrafficOK bool           `json:"traffic_ok"`
	PIDs      map[string]int `json:"pids"`
}

func (s *stand) writeReady() error {
	return writeSecretly(s.path("ready.json"), ready{
		URL: s.panel.base, Username: s.memory.Username, Password: s.memory.Password,
		NodeID: s.memory.NodeID, FlowID: s.memory.FlowID, Link: s.memory.Link, ProbeURL: s.probeURL(), TrafficOK: true,
		PIDs: s.pids(),
	})
}

func (s *stand) announce() {
	fmt.Printf(`
  address   %s
  login     %s / %s
  node      %s
  flow      %s
  traffic: ok

  The same facts are in %s. Ctrl-C stops everything and keeps the data.
`, s.panel.base, s.memory.Username, s.memory.Password, s.memory.NodeID, s.memory.FlowID, s.path("ready.json"))
	_ = os.Stdout.Sync()
}
