package core

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	xray "github.com/xtls/xray-core/core"

	"panel/platform/agentapi"
)

const checkLimit = 40 * time.Second

// locationAsset names the folder of geo files in the environment of the core.
const locationAsset = "XRAY_LOCATION_ASSET="

const opAssets = "assets"

// Assets exchanges the geo files of the node by put. The serving configuration is tested first with those of the folder
// trial, and put is not called where the core refuses them (*Refused). The serving core makes its rules anew; no stream
// is cut and no connection refused. Where it cannot, another core takes over as for a new configuration.
func (s *Supervisor) Assets(ctx context.Context, trial string, put func() error) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	serving, spec := s.current, s.spec
	s.mu.Unlock()
	if !refersToFiles(spec.Core) {
		return put()
	}
	if err := s.checkWith(ctx, spec.Core, trial); err != nil {
		return err
	}
	if err := put(); err != nil || serving == nil {
		return err
	}
	if answer, err := ask(ctx, serving.dir, request{Op: opAssets}); err == nil && answer.Exchanged {
		return nil
	}
	return s.swapTo(ctx, spec)
}

// refersToFiles says whether a configuration names a category of a geo file.
func refersToFiles(raw []byte) bool {
	for _, prefix := range []string{`"geosite:`, `"geoip:`, `"!geoip:`, `"ext:`} {
		if bytes.Contains(raw, []byte(prefix)) {
			return true
		}
	}
	return false
}

// Refused is a configuration that the core does not accept, with the core's own words.
type Refused struct {
	Words string
}

func (r *Refused) Error() string { return "the core refuses the configuration: " + lastLine(r.Words) }

// Check is the whole life of a checking process: it reads a configuration from in and makes a core of it without
// listening. It also gathers what REALITY needs to know, so that the switch that follows need not wait.
func Check(in io.Reader, cacheDir string) error {
	raw, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the core configuration: %w", err)
	}
	held, err := readCertificates(cacheDir)
	if err != nil {
		return err
	}
	config, err := build(raw, held, nil)
	if err != nil {
		return err
	}
	instance, err := xray.New(config)
	if err != nil {
		return fmt.Errorf("make the core: %w", err)
	}
	defer instance.Close()
	return warm(context.Background(), config, cacheDir)
}

// Check lets a process of its own test a configuration, so that not even a crash of the core reaches the agent.
// A configuration that the core does not take gives *Refused; other errors say that the test could not be made, above
// all ErrNoCertificate, which ends when the panel has given the certificate to this node.
func (s *Supervisor) Check(ctx context.Context, raw []byte) error {
	return s.checkWith(ctx, raw, s.assets)
}

// checkWith is Check with the geo files of a folder.
func (s *Supervisor) checkWith(ctx context.Context, raw []byte, assets string) error {
	held, err := readCertificates(s.dir)
	if err == nil {
		err = held.lacking(raw)
	}
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	cmd := s.command(ctx, "core", "--check", "--dir", s.dir)
	cmd.Env = append(cmd.Env, locationAsset+assets) // the last one of a name counts
	cmd.Stdin = bytes.NewReader(raw)
	var words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &words, &words
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("test the configuration: %w", ctx.Err())
	case errors.As(err, &exit):
		return &Refused{Words: tail(words.String())}
	default:
		return fmt.Errorf("test the configuration: %w", err)
	}
}

// command builds a call of this executable with an environment of its own: nothing that the agent was given leaks.
// Go listens with MPTCP unless told otherwise, and such a listener cannot be steered (see pickNewer).
func (s *Supervisor) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.executable, args...)
	cmd.Env = []string{
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin", locationAsset + s.assets,
		"GODEBUG=multipathtcp=0",
	}
	cmd.Dir = s.dir
	cmd.WaitDelay = time.Second
	return cmd
}

func tail(words string) string {
	words = strings.TrimSpace(words)
	if len(words) > agentapi.MaxTail {
		words = words[len(words)-agentapi.MaxTail:]
	}
	return strings.ToValidUTF8(words, "")
}

func lastLine(words string) string {
	words = strings.TrimSpace(words)
	return words[strings.LastIndexByte(words, '\n')+1:]
}

// Fail prints why a core process ends and gives its exit code.
func Fail(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
