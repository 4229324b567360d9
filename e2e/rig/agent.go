package rig

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"panel/platform/agentapi"
)

// Agent is one `panel-agent` with its folder; it can be killed and started again in the same place.
type Agent struct {
	Spec   Spec
	NodeID string
	*Process
}

// Enroll gives an agent its identity the way a server gets it: a token from the panel, handed to the agent.
func (s *Stand) Enroll(ctx context.Context, name string, prefix ...string) (*Agent, error) {
	return s.EnrollAs(ctx, AgentProgram, name, prefix...)
}

// EnrollAs is Enroll for another program than the agent as it is shipped.
func (s *Stand) EnrollAs(ctx context.Context, which, name string, prefix ...string) (*Agent, error) {
	program, err := Executable(ctx, which)
	if err != nil {
		return nil, err
	}
	var issued struct {
		Token string `json:"token"`
	}
	if err := s.API.Post(ctx, "/api/v1/nodes/enrollment-tokens", map[string]any{"kind": "one_off"},
		&issued); err != nil {
		return nil, err
	}
	said, err := run(
		ctx,
		[]byte(issued.Token),
		prefix,
		program,
		"enroll",
		"--panel",
		s.Panel.URL,
		"--data",
		s.agentData(name),
		"--name",
		name,
		"--token-stdin",
	)
	if err != nil {
		return nil, fmt.Errorf("enrol %s: %w", name, err)
	}
	return s.enrolled(said, program, name, prefix)
}

// noInstaller stands in for sudo on a new server: the agent is there already, and a server of a test has no service
// manager to install it in. It reads the token from before the installer, as the installer does.
const noInstaller = `#!/bin/sh
read -r line
cat >/dev/null
shift 3
printf %s "${line#PANEL_ENROLL_TOKEN=}" | AGENT enroll --data DATA --token-stdin "$@"
`

// Boot runs what the provider of a new server was given for its first start, and gives the agent that has enrolled.
func (s *Stand) Boot(ctx context.Context, script, name string, prefix ...string) (*Agent, error) {
	program, err := Executable(ctx, AgentProgram)
	if err != nil {
		return nil, err
	}
	tools := filepath.Join(s.Folder, name+"-tools")
	if err := os.Mkdir(tools, 0o755); err != nil {
		return nil, fmt.Errorf("boot %s: %w", name, err)
	}
	text := strings.NewReplacer("AGENT", program, "DATA", s.agentData(name)).Replace(noInstaller)
	if err := os.WriteFile(filepath.Join(tools, "sudo"), []byte(text), 0o755); err != nil { //nolint:gosec // it is run
		return nil, fmt.Errorf("boot %s: %w", name, err)
	}
	path := "PATH=" + tools + string(os.PathListSeparator) + os.Getenv("PATH")
	said, err := run(ctx, []byte(script), append(slices.Clone(prefix), "env", path), "sh", "-s")
	if err != nil {
		return nil, fmt.Errorf("boot %s: %w", name, err)
	}
	return s.enrolled(said, program, name, prefix)
}

func (s *Stand) agentData(name string) string { return filepath.Join(s.Folder, name) }

// enrolled is the agent that has said who it is.
func (s *Stand) enrolled(said []byte, program, name string, prefix []string) (*Agent, error) {
	var identity struct {
		NodeID string `json:"node_id"`
	}
	if err := json.Unmarshal(said, &identity); err != nil {
		return nil, fmt.Errorf("enrol %s: read its answer: %w", name, err)
	}
	return &Agent{NodeID: identity.NodeID, Spec: Spec{
		Name: name, Log: filepath.Join(s.Folder, name+".log"), Path: program,
		Args: []string{"run", "--data", s.agentData(name), "--sampling", "1s"}, Prefix: prefix,
	}}, nil
}

// Launch starts the agent and does not wait for it.
func (a *Agent) Launch() (err error) {
	a.Process, err = Start(a.Spec)
	return err
}

// Online waits until the panel says that the node is, and has heard from it since this call.
func (s *Stand) Online(ctx context.Context, a *Agent) error {
	began := time.Now()
	return Eventually(ctx, 90*time.Second, func(ctx context.Context) error {
		var node struct {
			State string `json:"state"`
			Agent struct {
				Seen *time.Time `json:"last_seen_at"`
			} `json:"agent"`
		}
		if err := s.API.Get(ctx, "/api/v1/nodes/"+a.NodeID, &node); err != nil {
			return err
		}
		if node.State != "online" || node.Agent.Seen == nil || node.Agent.Seen.Before(began) {
			return fmt.Errorf(
				"the node is %s, last heard at %v; last words of the agent: %s",
				node.State,
				node.Agent.Seen,
				a.LastWords(),
			)
		}
		return nil
	})
}

// Fetch runs a real client in a process of its own and gets a page through the link.
func Fetch(ctx context.Context, probe agentapi.ThroughProbe, prefix ...string) (agentapi.ThroughData, error) {
	var answer struct {
		Data  agentapi.ThroughData `json:"data"`
		Error string               `json:"error"`
	}
	program, err := Executable(ctx, AgentProgram)
	if err != nil {
		return answer.Data, err
	}
	order, err := json.Marshal(probe)
	if err != nil {
		return answer.Data, fmt.Errorf("order a fetch: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, runLimit+time.Duration(probe.Timeout)*time.Second)
	defer cancel()
	said, err := run(ctx, order, prefix, program, "fetch", "--json")
	if err != nil {
		return answer.Data, fmt.Errorf("fetch through the flow: %w", err)
	}
	if err := json.Unmarshal(answerLine(said), &answer); err != nil {
		return answer.Data, fmt.Errorf("fetch through the flow: read what the client printed: %w", err)
	}
	if answer.Error != "" {
		return answer.Data, errors.New(answer.Error)
	}
	return answer.Data, nil
}

// answerLine is the document among the lines of a client; the core in it may log one before or after it.
func answerLine(said []byte) []byte {
	for _, line := range slices.Backward(bytes.Split(said, []byte("\n"))) {
		if bytes.HasPrefix(line, []byte("{")) {
			return line
		}
	}
	return said
}

const runLimit = 90 * time.Second

func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, already := ctx.Deadline(); already {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, runLimit)
}

// run gives what a command wrote to its standard output; what it wrote beside that becomes part of the error. A context
// without an end gets the usual limit.
func run(ctx context.Context, input []byte, prefix []string, program string, args ...string) ([]byte, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	line := append(slices.Clone(prefix), append([]string{program}, args...)...)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	var problems strings.Builder
	cmd.Stdin, cmd.Stderr, cmd.Env, cmd.Dir = bytes.NewReader(input), &problems, Environment(), os.TempDir()
	said, err := cmd.Output()
	if err != nil {
		return said, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), args[0], err,
			strings.TrimSpace(problems.String()))
	}
	return said, nil
}
