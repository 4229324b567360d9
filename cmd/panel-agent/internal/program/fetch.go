package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"panel/cmd/panel-agent/internal/core"
)

// fetchCommand is a real client in one process: it gets a page through a flow and prints what it saw as JSON.
func fetchCommand() *cobra.Command {
	var order core.FetchOrder
	var linkFile string
	var orderOnInput bool
	cmd := &cobra.Command{
		Use: "fetch", Short: "Fetch a page through a flow as a client would", Args: cobra.NoArgs,
		Long: "Fetch a page through a flow as a client would.\n\nThe connection link is a secret: " +
			"give it in a file, or on standard input with --link-file -.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if orderOnInput {
				return core.RunFetch(cmd.InOrStdin(), cmd.OutOrStdout())
			}
			return fetch(cmd, order, linkFile)
		},
	}
	cmd.Flags().BoolVar(&orderOnInput, "json", false, "read the whole order from standard input")
	_ = cmd.Flags().MarkHidden("json")
	cmd.Flags().StringVar(&linkFile, "link-file", "-", "file that holds the connection link")
	cmd.Flags().StringVar(&order.URL, "url", "", "page to fetch")
	cmd.Flags().StringVar(&order.Expect, "expect", "", "text that the page must contain")
	cmd.Flags().StringVar(&order.DialAs, "dial-as", "", "host:port to dial in place of the link's")
	cmd.Flags().IntVar(&order.Timeout, "timeout", 20, "seconds")
	cmd.Flags().Int64Var(&order.MaxBytes, "max-bytes", 1<<20, "bytes to read of the page")
	return cmd
}

func fetch(cmd *cobra.Command, order core.FetchOrder, linkFile string) error {
	if order.URL == "" {
		return errors.New("fetch: give the page with --url")
	}
	in := cmd.InOrStdin()
	if linkFile != "-" {
		file, err := os.Open(linkFile)
		if err != nil {
			return fmt.Errorf("read the connection link: %w", err)
		}
		defer file.Close()
		in = file
	}
	raw, err := io.ReadAll(io.LimitReader(in, 64<<10))
	if err != nil {
		return fmt.Errorf("read the connection link: %w", err)
	}
	order.Link = strings.TrimSpace(string(raw))
	data, err := core.Fetch(cmd.Context(), order)
	if err != nil {
		return err
	}
	return json.NewEncoder(cmd.OutOrStdout()).Encode(data)
}
