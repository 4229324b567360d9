package assets

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"panel/platform/agentapi"
	"panel/platform/durable"
)

// stallLimit is how long a fetch may bring nothing.
const stallLimit = 30 * time.Second

// source gives files by their digests.
type source interface {
	open(ctx context.Context, sha256 string) (io.ReadCloser, error)
}

// panel is where files come from.
type panel struct {
	base  string
	token func() string
	http  *http.Client
}

func (p panel) open(ctx context.Context, digest string) (io.ReadCloser, error) {
	address := p.base + strings.ReplaceAll(agentapi.PathAsset, "{sha256}", digest)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the panel for a geo file: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+p.token())
	answer, err := p.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the panel for a geo file: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		defer answer.Body.Close()
		var problem struct{ Code string }
		_ = json.NewDecoder(io.LimitReader(answer.Body, 4<<10)).Decode(&problem) // what is no problem has no code
		return nil, fmt.Errorf("the panel does not give the geo file: %d %s", answer.StatusCode, problem.Code)
	}
	return answer.Body, nil
}

var errDamaged = errors.New("what came is not the file that the panel has announced")

// bring has a file in the store, whole and compared; what is there already is compared alone.
func (h *holder) bring(ctx context.Context, file agentapi.AssetFile) error {
	if digestOf(h.stored(file)) == file.SHA256 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stalled := time.AfterFunc(stallLimit, func() { cancel(errors.New("the panel sent nothing for a while")) })
	defer stalled.Stop()
	body, err := h.source.open(ctx, file.SHA256)
	if err != nil {
		return because(ctx, err)
	}
	defer body.Close()
	err = durable.Replace(h.stored(file), 0o600, func(to *os.File) error {
		sum := sha256.New()
		moving := &moving{from: io.LimitReader(body, file.Size+1), timer: stalled} // one byte more shows a longer one
		size, err := io.Copy(io.MultiWriter(to, sum), moving)
		switch {
		case err != nil:
			return err
		case size != file.Size, hex.EncodeToString(sum.Sum(nil)) != file.SHA256:
			return errDamaged
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("fetch the geo file: %w", because(ctx, err))
	}
	return nil
}

// because gives the cause of a fetch that was ended.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil {
		return cause
	}
	return err
}

// moving puts a timer back whenever something comes.
type moving struct {
	from  io.Reader
	timer *time.Timer
}

// Read reads on.
func (m *moving) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	if n > 0 {
		m.timer.Reset(stallLimit)
	}
	return n, err
}

// digestOf is empty for a file that cannot be read.
func digestOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
