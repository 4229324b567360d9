package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// transferWithin is how long a file may take to or from the panel.
const transferWithin = 6 * time.Minute

// Send posts a file of so many bytes to path and reads the answer into out. The failures are those of Get.
func (c *Client) Send(ctx context.Context, path string, file io.Reader, size int64, out any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, file)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	request.ContentLength = size
	c.dress(request, false)
	request.Header.Set("Content-Type", "application/octet-stream")
	status, answer, err := c.within(transferWithin).perform(ctx, request)
	if err != nil {
		return err
	}
	return c.read(status, answer, out)
}

// Input reads a file of JSON by its name, or standard input for -. Of a longer one than most it gives one byte more
// than that, so that the caller sees it.
func (env Env) Input(name string, most int64) ([]byte, error) {
	in := env.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, Usage(Say("the file %s cannot be read; give the path of a JSON file", name))
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return text, nil
}

// Document reads the document of path as it is. The failures are those of Get.
func (c *Client) Document(ctx context.Context, path string) (json.RawMessage, error) {
	var document json.RawMessage
	return document, c.Get(ctx, path, &document)
}
