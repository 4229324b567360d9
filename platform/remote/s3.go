package remote

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"panel/platform/outbound"
)

// S3 is a bucket of any service that speaks S3.
type S3 struct {
	Endpoint    string // https://s3.example.com, also with a port
	Bucket      string
	Prefix      string
	Region      string
	AccessKeyID string
	SecretKey   string
	PathStyle   bool
	Roots       *x509.CertPool // instead of the system's authorities; nil: those
}

const (
	// piece is what is held in memory of a part whose length nobody knows yet.
	piece = 16 << 20
	// LargestObject is what S3 takes in 10,000 pieces.
	LargestObject = 10_000 * piece
	tries         = 3
)

// Bucket keeps files in S3.
type Bucket struct {
	env    Env
	client *minio.Core
	config S3
	close  func()
}

// OpenS3 makes a bucket. It calls nobody yet. Fault: invalid_value (422) with the name of the field of the settings.
func (e Env) OpenS3(c S3) (*Bucket, error) {
	endpoint, err := e.Network.Address(c.Endpoint, e.Reach)
	switch {
	case err != nil:
		return nil, wrong("endpoint", "the address must look like https://s3.example.com and be allowed as a target")
	case endpoint.Path != "" && endpoint.Path != "/" || endpoint.RawQuery != "":
		return nil, wrong("endpoint", "the address has no path: the bucket is named by itself")
	case c.Bucket == "":
		return nil, wrong("bucket", "the bucket is missing")
	case c.AccessKeyID == "":
		return nil, wrong(e.Words.accessKey(), "the access key is missing")
	}
	way := e.Network.RoundTripper(outbound.Options{
		Name: e.Name, Service: "the S3 service", Reach: e.Reach, Roots: c.Roots,
	})
	client, err := minio.NewCore(endpoint.Host, s3Options(endpoint, c, way))
	if err != nil {
		return nil, wrong("endpoint", "the address cannot be used for S3")
	}
	b := &Bucket{env: e, client: client, config: c, close: func() {}}
	if closer, can := way.(interface{ CloseIdleConnections() }); can {
		b.close = closer.CloseIdleConnections
	}
	return b, nil
}

func s3Options(endpoint *url.URL, c S3, way http.RoundTripper) *minio.Options {
	o := &minio.Options{
		Creds:     credentials.NewStaticV4(c.AccessKeyID, c.SecretKey, ""),
		Secure:    endpoint.Scheme == "https",
		Transport: way, Region: c.Region, MaxRetries: tries,
	}
	if c.PathStyle {
		o.BucketLookup = minio.BucketLookupPath
	}
	return o
}

func (b *Bucket) object(file string) string {
	prefix := strings.Trim(b.config.Prefix, "/")
	if prefix == "" {
		return file
	}
	return prefix + "/" + file
}

// Put sends pieces; an object is there only when the last one was sent and all were joined. What the service has
// counts, not what it said: one that died as it joined them may call it done when it is asked again.
func (b *Bucket) Put(ctx context.Context, file string, content io.Reader, about About) error {
	size, most := int64(-1), uint64(piece)
	if about.Size > 0 {
		size, most = about.Size, 0
	}
	sent, err := b.client.Client.PutObject(ctx, b.config.Bucket, b.object(file), content, size, minio.PutObjectOptions{
		ContentType:  cmp.Or(about.MediaType, "application/octet-stream"),
		CacheControl: about.CacheControl, PartSize: most, Progress: movement{ctx, b.env},
	})
	if err == nil {
		err = b.has(ctx, file, sent.Size)
	}
	return b.said(ctx, b.env.Words.Send, err)
}

var errLost = errors.New("the S3 service said that it has the file, and does not have it")

// has demands that an object is there with its whole content. It is looked for again: another request may still join
// its pieces. A key that may not look believes what the service said.
func (b *Bucket) has(ctx context.Context, file string, size int64) error {
	const looks, pause = 4, time.Second
	object := b.object(file)
	for range looks {
		there, err := b.client.StatObject(ctx, b.config.Bucket, object, minio.StatObjectOptions{})
		switch code := minio.ToErrorResponse(err).Code; {
		case err == nil && there.Size == size, code == minio.AccessDenied:
			return nil
		case err == nil, code != minio.NoSuchKey:
			return cmp.Or(err, ErrOther)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
			b.env.moved(ctx)
		}
	}
	return errLost
}

// movement is told of bytes that leave.
type movement struct {
	ctx context.Context //nolint:containedctx // of the one call that it watches
	env Env
}

// Read is how the library tells.
func (m movement) Read(sent []byte) (int, error) {
	m.env.moved(m.ctx)
	return len(sent), nil
}

// Open gives the content of a file, or ErrMissing.
func (b *Bucket) Open(ctx context.Context, file string) (io.ReadCloser, error) {
	content, _, _, err := b.client.GetObject(ctx, b.config.Bucket, b.object(file), minio.GetObjectOptions{})
	if err != nil {
		return nil, b.said(ctx, b.env.Words.Open, err)
	}
	return content, nil
}

// Files lists the files of the prefix itself, in no order.
func (b *Bucket) Files(ctx context.Context) ([]File, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := b.object("")
	var all []File
	for found := range b.client.Client.ListObjects(ctx, b.config.Bucket, minio.ListObjectsOptions{Prefix: prefix}) {
		if found.Err != nil {
			return nil, b.said(ctx, b.env.Words.ListBucket, found.Err)
		}
		if name := strings.TrimPrefix(found.Key, prefix); !strings.Contains(name, "/") {
			all = append(all, File{Name: name, Bytes: found.Size})
		}
	}
	return all, nil
}

// Remove also forgets pieces that were sent and never joined: they cost money and are seen by nobody.
func (b *Bucket) Remove(ctx context.Context, file string) error {
	_ = b.client.RemoveIncompleteUpload(ctx, b.config.Bucket, b.object(file)) // a key may have no right to list them
	err := b.client.RemoveObject(ctx, b.config.Bucket, b.object(file), minio.RemoveObjectOptions{})
	if err = b.said(ctx, b.env.Words.Remove, err); errors.Is(err, ErrMissing) {
		return nil
	}
	return err
}

// Close ends connections.
func (b *Bucket) Close() error {
	b.close()
	return nil
}

// said keeps the service's word for what went wrong, and no address.
func (b *Bucket) said(ctx context.Context, doing string, err error) error {
	var answer minio.ErrorResponse
	switch {
	case err == nil:
		return nil
	case errors.As(err, &answer):
		if answer.Code == minio.NoSuchKey {
			return ErrMissing
		}
		return fmt.Errorf("%s: the S3 service answered %s", doing, answer.Code)
	case errors.Is(err, context.Canceled), ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
		return err
	case errors.Is(err, errLost), errors.Is(err, ErrOther):
		return fmt.Errorf("%s: %w", doing, err)
	}
	reason, _ := outbound.Explain(err)
	return fmt.Errorf("%s: %s", doing, reason)
}
