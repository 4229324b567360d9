package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"panel/cmd/panel-agent/internal/identity"
	"panel/cmd/panel-agent/internal/link"
	"panel/cmd/panel-agent/internal/part"
	"panel/cmd/panel-agent/internal/update"
	"panel/platform/agentapi"
)

const (
	tokenVariable  = "PANEL_AGENT_ENROLL_TOKEN"
	enrollAttempts = 6
	enrollPatience = 5 * time.Minute
)

type enrollment struct {
	dir, panel, caFile, name, tokenFile, updateKey string

	fromStdin, again bool
}

func enrollCommand(b Build) *cobra.Command {
	var e enrollment
	cmd := &cobra.Command{
		Use: "enroll", Short: "Give this server an identity at a panel", Args: cobra.NoArgs,
		Long: "Give this server an identity at a panel.\n\nThe enrollment token comes from --token-file, " +
			"from standard input with --token-stdin, " +
			"or from the variable " + tokenVariable + ".",
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd, b) },
	}
	dataFlag(cmd, &e.dir)
	cmd.Flags().StringVar(&e.panel, "panel", "", "address of the panel")
	cmd.Flags().StringVar(&e.caFile, "ca-file", "", "PEM file with further trusted roots for the panel's certificate")
	cmd.Flags().StringVar(&e.name, "name", "", "name of the node; empty = the panel takes the host name")
	cmd.Flags().StringVar(&e.updateKey, "update-key", "",
		"minisign key that updates of the agent are checked with; several are separated by commas")
	cmd.Flags().StringVar(&e.tokenFile, "token-file", "", "file that holds the enrollment token")
	cmd.Flags().BoolVar(&e.fromStdin, "token-stdin", false, "read the enrollment token from standard input")
	cmd.Flags().BoolVar(&e.again, "again", false, "replace an identity that is already there")
	_ = cmd.MarkFlagRequired("panel")
	return cmd
}

func (e enrollment) run(cmd *cobra.Command, b Build) error {
	if e.updateKey != "" {
		if err := update.Pin(e.dir, e.updateKey); err != nil {
			return fmt.Errorf("keep the key of updates that --update-key gives: %w", err)
		}
	}
	if known, err := identity.Load(e.dir); err == nil && !e.again {
		return e.show(cmd, known.NodeID, "already enrolled")
	}
	base, err := identity.CleanURL(e.panel)
	if err != nil {
		return err
	}
	token, err := e.token(cmd.InOrStdin())
	if err != nil {
		return err
	}
	shared, err := link.NewHTTP(e.caFile)
	if err != nil {
		return err
	}
	reply, err := enrollPatiently(cmd.Context(), link.NewClient(base, "", shared), describe(b, token, e.name))
	if err != nil {
		return fmt.Errorf("enrol at the panel: %w", err)
	}
	id := identity.Identity{NodeID: reply.NodeID, Token: identity.Token(reply.AgentToken), PanelURL: base}
	if err := identity.Save(e.dir, id); err != nil {
		return err
	}
	e.pin(cmd, update.Panel{Base: base, Token: func() string { return reply.AgentToken }, HTTP: shared})
	return e.show(cmd, reply.NodeID, "enrolled")
}

// pin keeps the keys that updates are checked with: those of the install line, which a person copied out of the panel,
// else those that the panel shows now, which is said, because whoever stands between sees to it what they are.
func (e enrollment) pin(cmd *cobra.Command, panel update.Panel) {
	if e.updateKey != "" {
		return // they were stored before the token was spent
	}
	pinned, err := update.PinFrom(cmd.Context(), e.dir, panel)
	switch {
	case err != nil:
		cmd.PrintErrln("the keys of updates are not stored yet, the first update stores them:", err)
	case pinned != "":
		cmd.PrintErrln("no --update-key was given; updates are checked with the key that the panel showed now:", pinned)
	}
}

func (e enrollment) show(cmd *cobra.Command, nodeID, state string) error {
	return json.NewEncoder(cmd.OutOrStdout()).Encode(map[string]string{"node_id": nodeID, "state": state})
}

func (e enrollment) token(in io.Reader) (string, error) {
	var raw []byte
	var err error
	switch {
	case e.tokenFile != "":
		raw, err = os.ReadFile(e.tokenFile)
	case e.fromStdin:
		raw, err = io.ReadAll(io.LimitReader(in, 4096))
	default:
		raw = []byte(os.Getenv(tokenVariable))
	}
	if err != nil {
		return "", fmt.Errorf("read the enrollment token: %w", err)
	}
	token := strings.TrimSpace(string(raw))
	if token == "" {
		return "", errors.New("no enrollment token: give --token-file, --token-stdin or " + tokenVariable)
	}
	return token, nil
}

func describe(b Build, token, name string) agentapi.EnrollRequest {
	hostname, _ := os.Hostname()
	return agentapi.EnrollRequest{
		Token: token, Name: name, Hostname: hostname, OS: runtime.GOOS, Arch: runtime.GOARCH, AgentVersion: b.Version,
		Protocol: agentapi.Protocol, MachineID: identity.MachineID(), Capabilities: part.Capabilities(b.Parts),
	}
}

// enrollPatiently waits for a panel that is just starting, and for its turn among many servers that come at once from
// one address; what the panel decides is not asked again.
func enrollPatiently(
	ctx context.Context, client *link.Client, req agentapi.EnrollRequest,
) (agentapi.EnrollReply, error) {
	ctx, cancel := context.WithTimeout(ctx, enrollPatience)
	defer cancel()
	backoff := link.Backoff{First: time.Second, Longest: 10 * time.Second}
	for attempt := 1; ; attempt++ {
		reply, err := client.Enroll(ctx, req)
		var decided *link.StatusError
		answered := errors.As(err, &decided)
		inTurn := answered && decided.Status == http.StatusTooManyRequests
		if err == nil || !inTurn && (attempt >= enrollAttempts || answered &&
			decided.Status < http.StatusInternalServerError) {
			return reply, err
		}
		select {
		case <-ctx.Done():
			return reply, err
		case <-time.After(max(backoff.Next(), link.RetryAfter(err))):
		}
	}
}
