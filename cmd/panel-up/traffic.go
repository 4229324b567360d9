package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"time"
)

// fetched is what the client's process prints.
type fetched struct {
	Data struct {
		Status  int     `json:"status"`
		TotalMs float64 `json:"total_ms"`
		ExitIP  string  `json:"exit_ip"`
	} `json:"data"`
	Error string `json:"error"`
}

var errNoAnswer = errors.New("it printed no answer")

// fetchThroughFlow runs a real client with the issued link, in a process of its own, and fetches the page.
func (s *stand) fetchThroughFlow(ctx context.Context) (string, error) {
	var answer fetched
	err := eventually(ctx, 40*time.Second, func(ctx context.Context) error {
		var err error
		answer, err = s.fetch(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s fetched through the flow in %.0f ms", s.probeURL(), answer.Data.TotalMs), s.writeReady()
}

// fetch hands the link over on the standard input, because it contains a secret.
func (s *stand) fetch(ctx context.Context) (fetched, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	order, err := json.Marshal(map[string]string{"link": s.memory.Link, "url": s.probeURL(), "expect": `"page":"ok"`})
	if err != nil {
		return fetched{}, fmt.Errorf("encode the order of the client: %w", err)
	}
	cmd := exec.CommandContext(ctx, s.path("bin", "panel-agent"), "fetch", "--json")
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(order), &out, &problems, plainEnvironment()
	failed := cmd.Run()
	var answer fetched
	printed := bytes.TrimSpace(out.Bytes())
	if json.Unmarshal(printed[bytes.LastIndexByte(printed, '\n')+1:], &answer) != nil {
		return answer, fmt.Errorf("run the client: %w: %s", errors.Join(failed, errNoAnswer),
			tail(problems.String(), 3))
	}
	if answer.Error != "" {
		return answer, errors.New(answer.Error)
	}
	return answer, nil
}
