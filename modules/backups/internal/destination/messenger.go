package destination

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"panel/modules/backups/internal/artefact"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/pattern"
)

// MessengerConfig is a chat of a service like Telegram.
type MessengerConfig struct {
	ChatID   string `json:"chat_id"`
	ThreadID int64  `json:"thread_id,omitempty"`
	APIRoot  string `json:"api_root,omitempty"` // "" means Env.MessengerRoot
}

const (
	// usualDocument lets the part be downloaded by a program, too, and not only by a person.
	usualDocument = 19 << 20
	// largestDocument is below the 50 MB that a bot may send; a whole part is in memory.
	largestDocument = 45 << 20
	sendWithin      = 15 * time.Minute
	usualRoot       = "https://api.telegram.org"
	waits           = 5 // times that the service may ask for patience
)

// chat keeps files as documents of a chat. A bot cannot list what it sent, so the way back is a person's: the documents
// are downloaded into a folder, and the folder is restored from.
type chat struct {
	client *outbound.Client
	root   string
	token  string
	config MessengerConfig
	most   int64
}

var tokens = pattern.Of(`^[A-Za-z0-9:_-]*$`)

func (e Env) messenger(s Spec, c MessengerConfig) (artefact.Destination, error) {
	root, err := e.Network.Address(cmp.Or(c.APIRoot, e.MessengerRoot, usualRoot), e.reach())
	switch {
	case err != nil:
		return nil, wrong("api_root", "the address must look like https://api.telegram.org and be allowed as a target")
	case c.ChatID == "":
		return nil, wrong("chat_id", "the chat is missing")
	case s.MaxPartBytes > largestDocument:
		return nil, fault.InvalidValue("max_part_bytes", "a document of the messenger has at most 45 MiB")
	case !tokens().MatchString(s.Secret):
		return nil, fault.InvalidValue("secret", "this is no token of a bot")
	}
	client := e.Network.New(outbound.Options{
		Name: "messenger", Service: "the messenger", Reach: e.reach(), Timeout: sendWithin,
	})
	return &chat{
		client: client, root: strings.TrimRight(root.String(), "/"), token: s.Secret, config: c,
		most: cmp.Or(s.MaxPartBytes, usualDocument),
	}, nil
}

var errDocument = errors.New("the part is larger than a document of the messenger may be")

// Put collects a part, so that it can be sent again when the service asks for patience.
func (c *chat) Put(ctx context.Context, file string, content io.Reader) error {
	document, err := io.ReadAll(io.LimitReader(content, c.most+1))
	if err != nil {
		return err
	}
	if int64(len(document)) > c.most {
		return errDocument
	}
	for try := 0; ; try++ {
		pause, err := c.send(ctx, file, document)
		if err == nil || pause == 0 || try == waits {
			return err
		}
		if err := patiently(ctx, pause); err != nil {
			return err
		}
	}
}

// patiently waits as long as the service asked for, which is no stall.
func patiently(ctx context.Context, pause time.Duration) error {
	const step = 5 * time.Second
	for ; pause > 0; pause -= step {
		artefact.Moving(ctx)
		select {
		case <-time.After(min(pause, step)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

type answer struct {
	OK          bool   `json:"ok"`
	Description string `json:"description"`
	Parameters  struct {
		RetryAfter int `json:"retry_after"`
	} `json:"parameters"`
}

// send gives the pause after which the same may be sent again.
func (c *chat) send(ctx context.Context, file string, document []byte) (pause time.Duration, err error) {
	head, tail, kind, err := c.form(file)
	if err != nil {
		return 0, err
	}
	body := io.MultiReader(bytes.NewReader(head), &watched{ctx, bytes.NewReader(document)}, bytes.NewReader(tail))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.root+"/bot"+c.token+"/sendDocument", body)
	if err != nil {
		return 0, errors.New("send a part of the backup: the messenger's address or token cannot be used")
	}
	request.ContentLength = int64(len(head) + len(document) + len(tail))
	request.Header.Set("Content-Type", kind)
	got, err := c.client.Do(ctx, request)
	if err != nil {
		return 0, err
	}
	var said answer
	if json.Unmarshal(got.Body, &said) == nil && said.OK && got.OK() {
		return 0, nil
	}
	err = fmt.Errorf("send a part of the backup: the messenger answered %d", got.Status)
	if got.Status == http.StatusTooManyRequests {
		return time.Duration(max(said.Parameters.RetryAfter, 1)) * time.Second, err
	}
	return 0, err
}

// form is what stands before and behind the document.
func (c *chat) form(file string) (head, tail []byte, kind string, err error) {
	var out bytes.Buffer
	writer := multipart.NewWriter(&out)
	fields := [][2]string{{"chat_id", c.config.ChatID}, {"disable_notification", "true"}}
	if c.config.ThreadID != 0 {
		fields = append(fields, [2]string{"message_thread_id", strconv.FormatInt(c.config.ThreadID, 10)})
	}
	for _, field := range fields {
		if err := writer.WriteField(field[0], field[1]); err != nil {
			return nil, nil, "", err
		}
	}
	if _, err := writer.CreateFormFile("document", file); err != nil {
		return nil, nil, "", err
	}
	before := out.Len()
	if err := writer.Close(); err != nil {
		return nil, nil, "", err
	}
	return out.Bytes()[:before], out.Bytes()[before:], writer.FormDataContentType(), nil
}

type watched struct {
	ctx  context.Context //nolint:containedctx // of the one call that it watches
	from io.Reader
}

func (w *watched) Read(into []byte) (int, error) {
	artefact.Moving(w.ctx)
	return w.from.Read(into)
}

func (c *chat) Open(context.Context, string) (io.ReadCloser, error) {
	return nil, artefact.ErrWriteOnly
}

func (c *chat) Files(context.Context) ([]artefact.File, error) { return nil, artefact.ErrWriteOnly }

func (c *chat) Remove(context.Context, string) error { return artefact.ErrWriteOnly }

// Check sends a small document: nothing less shows that the bot may write into the chat.
func (c *chat) Check(ctx context.Context) error {
	const within = time.Minute
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return c.Put(ctx, "panel-check.txt", strings.NewReader("The panel can keep backups in this chat.\n"))
}

func (c *chat) Limits() artefact.Limits { return artefact.Limits{PartBytes: c.most, Encrypted: true} }

func (c *chat) Close() error {
	c.client.Close()
	return nil
}
