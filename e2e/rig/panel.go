package rig

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"panel/platform/testneed/freeport"
)

// Panel is one `panelctl serve` with its settings; it can be killed and started again in the same place.
type Panel struct {
	Spec    Spec
	URL     string
	DataDir string
	Port    int
	Metrics string // address of the metrics
	API     *API
	*Process
}

// PanelSettings are the choices a test makes; the rest is as the product has it.
type PanelSettings struct {
	Program    string   // to build and run; empty: PanelProgram
	Executable string   // of a Program that is built
	Folder     string   // for data and log
	Host       string   // to listen on; empty: 127.0.0.1
	Port       int      // 0: a free one
	DSN        string   // empty: the private database
	Env        []string // further settings
	Prefix     []string // see Spec

	// LicenseFront gives the address to ask instead of the license authority's own; nil: the authority itself.
	LicenseFront func(authority string) string
}

// NewPanel describes a panel without starting it.
func NewPanel(s PanelSettings) (*Panel, error) {
	if s.Host == "" {
		s.Host = "127.0.0.1"
	}
	if s.Port == 0 {
		var err error
		if s.Port, err = freeport.Find(); err != nil {
			return nil, err
		}
	}
	metrics, err := freeport.Find()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(s.Folder, "data")
	address := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	env := append([]string{
		"PANEL_BIND=" + s.Host, "PANEL_PORT=" + strconv.Itoa(s.Port), "PANEL_DATA_DIR=" + data,
		"PANEL_PUBLIC_URL=http://" + address,
		"PANEL_DNS_RESOLVERS=127.0.0.1:1", // nobody: no test asks the internet
		"PANEL_METRICS_ADDR=127.0.0.1:" + strconv.Itoa(metrics), "PANEL_DB_URL=" + s.DSN,
	}, s.Env...)
	spec := Spec{
		Name:   "the panel",
		Log:    filepath.Join(s.Folder, "panel.log"),
		Path:   s.Executable,
		Args:   []string{"serve"},
		Env:    env,
		Prefix: s.Prefix,
	}
	return &Panel{
		Spec: spec, URL: "http://" + address, DataDir: data, Port: s.Port, API: NewAPI("http://" + address),
		Metrics: "http://127.0.0.1:" + strconv.Itoa(metrics) + "/metrics",
	}, nil
}

// Launch starts the process and does not wait for it.
func (p *Panel) Launch() (err error) {
	p.Process, err = Start(p.Spec)
	return err
}

// Up starts the process and waits until it is healthy.
func (p *Panel) Up(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	return p.Healthy(ctx)
}

const healthyWithin = 90 * time.Second

// Healthy waits until the panel says that it is.
func (p *Panel) Healthy(ctx context.Context) error {
	return Eventually(ctx, healthyWithin, func(ctx context.Context) error {
		if !p.Running() {
			return fmt.Errorf("%w: the panel has ended: %s", ErrHopeless, p.LastWords())
		}
		return p.API.Get(ctx, "/health", nil)
	})
}
