package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/spf13/cobra"

	"panel/cmd/panel-licensed/internal/server"
)

type listening struct{ address, certificate, key string }

func (t *tool) serve() *cobra.Command {
	var l listening
	cmd := &cobra.Command{
		Use: "serve", Short: "Answer panels and the vendor over HTTP", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd, l) },
	}
	cmd.Flags().StringVar(&l.address, "listen", "127.0.0.1:8090", "address to listen on; port 0 takes a free one")
	cmd.Flags().
		StringVar(&l.certificate, "tls-cert", "",
			"certificate file; without it plain HTTP, for loopback or behind a proxy")
	cmd.Flags().StringVar(&l.key, "tls-key", "", "key file of the certificate")
	return cmd
}

func (t *tool) run(cmd *cobra.Command, l listening) error {
	a, err := t.open()
	if err != nil {
		return err
	}
	token, err := adminToken(t.data)
	if err != nil {
		return err
	}
	socket, err := net.Listen("tcp", l.address)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; choose another with --listen", l.address, err)
	}
	log := slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), nil))
	fmt.Fprintf(cmd.OutOrStdout(), "listening on %s\n", socket.Addr())
	return serveUntil(cmd.Context(), server.New(a, token, clockwork.NewRealClock(), log).HTTP(), socket, l)
}

func serveUntil(ctx context.Context, s *http.Server, socket net.Listener, l listening) error {
	ended := make(chan error, 1)
	go func() {
		if l.certificate != "" {
			ended <- s.ServeTLS(socket, l.certificate, l.key)
			return
		}
		ended <- s.Serve(socket)
	}()
	select {
	case err := <-ended:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := s.Shutdown(stopping); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("stopping: %w", err)
	}
	return nil
}

// adminToken makes the vendor's token the first time.
func adminToken(folder string) (string, error) {
	path := filepath.Join(folder, "admin-token")
	raw, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(raw))) > 0 {
		return strings.TrimSpace(string(raw)), nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("reading the admin token: %w", err)
	}
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("making the admin token: %w", err)
	}
	token := base64.RawURLEncoding.EncodeToString(secret)
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("writing the admin token: %w", err)
	}
	return token, nil
}
