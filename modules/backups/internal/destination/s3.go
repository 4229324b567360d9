package destination

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"panel/modules/backups/internal/artefact"
	"panel/platform/outbound"
)

// S3Config is a bucket of any service that speaks S3.
type S3Config struct {
	Endpoint    string `json:"endpoint"` // https://s3.example.com, also with a port
	Bucket      string `json:"bucket"`
	Prefix      string `json:"prefix,omitempty"`
	Region      string `json:"region,omitempty"`
	AccessKeyID string `json:"access_key_id"`
	PathStyle   bool   `json:"path_style,omitempty"`
}

const (
	// piece is what is held in memory of a part whose length nobody knows yet.
	piece = 16 << 20
	// largestObject is what S3 takes in 10,000 pieces.
	largestObject = 10_000 * piece
	tries         = 3
)

type bucket struct {
	client *minio.Core
	config S3Config
	most   int64
	close  func()
}

func (e Env) s3(s Spec, c S3Config) (artefact.Destination, error) {
	endpoint, err := e.Network.Address(c.Endpoint, e.reach())
	switch {
	case err != nil:
		return nil, wrong("endpoint", "the address must look like https://s3.example.com and be allowed as a target")
	case endpoint.Path != "" && endpoint.Path != "/" || endpoint.RawQuery != "":
		return nil, wrong("endpoint", "the address has no path: the bucket is named by itself")
	case c.Bucket == "":
		return nil, wrong("bucket", "the bucket is missing")
	case c.AccessKeyID == "":
		return nil, wrong("access_key_id", "the access key is missing")
	}
	way := e.Network.RoundTripper(outbound.Options{Name: "backup", Service: "the S3 service", Reach: e.reach()})
	client, err := minio.NewCore(endpoint.Host, s3Options(endpoint, s.Secret, c, way))
	if err != nil {
		return nil, wrong("endpoint", "the address cannot be used for S3")
	}
	b := &bucket{client: client, config: c, most: s.MaxPartBytes, close: func() {}}
	if closer, can := way.(interface{ CloseIdleConnections() }); can {
		b.close = closer.CloseIdleConnections
	}
	return b, nil
}

func s3Options(endpoint *url.URL, secret string, c S3Config, way http.RoundTripper) *minio.Options {
	o := &minio.Options{
		Creds:     credentials.NewStaticV4(c.AccessKeyID, secret, ""),
		Secure:    endpoint.Scheme == "https",
		Transport: way, Region: c.Region, MaxRetries: tries,
	}
	if c.PathStyle {
		o.BucketLookup = minio.BucketLookupPath
	}
	return o
}

func (b *bucket) object(file string) string {
	prefix := strings.Trim(b.config.Prefix, "/")
	if prefix == "" {
		return file
	}
	return prefix + "/" + file
}

// Put sends pieces; an object is there only when the last one was sent and all were joined. What the service has
// counts, not what it said: one that died as it joined them may call it done when it is asked again.
func (b *bucket) Put(ctx context.Context, file string, content io.Reader) error {
	sent, err := b.client.Client.PutObject(ctx, b.config.Bucket, b.object(file), content, -1, minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: piece, Progress: movement{ctx},
	})
	if err == nil {
		err = b.has(ctx, file, sent.Size)
	}
	return b.said("send a part of the backup", err)
}

var errLost = errors.New("the S3 service said that it has the file, and does not have it")

// has demands that an object is there with its whole content. It is looked for again: another request may still join
// its pieces. A key that may not look believes what the service said.
func (b *bucket) has(ctx context.Context, file string, size int64) error {
	const looks, pause = 4, time.Second
	object := b.object(file)
	for range looks {
		there, err := b.client.StatObject(ctx, b.config.Bucket, object, minio.StatObjectOptions{})
		switch code := minio.ToErrorResponse(err).Code; {
		case err == nil && there.Size == size, code == minio.AccessDenied:
			return nil
		case err == nil, code != minio.NoSuchKey:
			return cmp.Or(err, errOther)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
			artefact.Moving(ctx)
		}
	}
	return errLost
}

// movement is told of bytes that leave.
type movement struct{ ctx context.Context } //nolint:containedctx // of the one call that it watches

// Read is how the library tells.
func (m movement) Read(sent []byte) (int, error) {
	artefact.Moving(m.ctx)
	return len(sent), nil
}

func (b *bucket) Open(ctx context.Context, file string) (io.ReadCloser, error) {
	content, _, _, err := b.client.GetObject(ctx, b.config.Bucket, b.object(file), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.said("open a file of the backup", err)
	}
	return content, nil
}

func (b *bucket) Files(ctx context.Context) ([]artefact.File, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := b.object("")
	var all []artefact.File
	for found := range b.client.Client.ListObjects(ctx, b.config.Bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if found.Err != nil {
			return nil, b.said("list the backups of the bucket", found.Err)
		}
		if name := strings.TrimPrefix(found.Key, prefix); !strings.Contains(name, "/") {
			all = append(all, artefact.File{Name: name, Bytes: found.Size})
		}
	}
	return all, nil
}

// Remove also forgets pieces that were sent and never joined: they cost money and are seen by nobody.
func (b *bucket) Remove(ctx context.Context, file string) error {
	_ = b.client.RemoveIncompleteUpload(ctx, b.config.Bucket, b.object(file)) // a key may have no right to list them
	err := b.client.RemoveObject(ctx, b.config.Bucket, b.object(file), minio.RemoveObjectOptions{})
	if err = b.said("remove a file of the backup", err); errors.Is(err, artefact.ErrMissing) {
		return nil
	}
	return err
}

func (b *bucket) Check(ctx context.Context) error {
	const within = time.Minute
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return check(ctx, b)
}

func (b *bucket) Limits() artefact.Limits {
	if b.most > 0 {
		return artefact.Limits{PartBytes: min(b.most, largestObject)}
	}
	return artefact.Limits{PartBytes: largestObject}
}

func (b *bucket) Close() error {
	b.close()
	return nil
}

// said keeps the service's word for what went wrong, and no address.
func (b *bucket) said(doing string, err error) error {
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		if answer.Code == minio.NoSuchKey {
			return artefact.ErrMissing
		}
		return fmt.Errorf("%s: the S3 service answered %s", doing, answer.Code)
	case errors.Is(err, context.Canceled), errors.Is(err, artefact.ErrStalled):
		return err
	case errors.Is(err, errLost), errors.Is(err, errOther):
		return fmt.Errorf("%s: %w", doing, err)
	}
	reason, _ := outbound.Explain(err)
	return fmt.Errorf("%s: %s", doing, reason)
}
