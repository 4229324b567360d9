package geo

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"panel/modules/geo/internal/dat"
	"panel/platform/fault"
	"panel/platform/outbound"
	"panel/platform/pattern"
)

// Reasons beside those of package dat.
const (
	reasonChecksum    = "checksum_mismatch"
	reasonMissing     = "geo_category_missing"
	reasonUnreachable = "source_unreachable"
	reasonRefused     = "source_refused"
	reasonDisk        = "disk_full"
	reasonNode        = "node_failed"
)

const (
	fetchWithin   = 5 * time.Minute
	redirects     = 5
	mostChecksums = 64 << 10
)

// source is the client that fetches files: from the public internet alone, because whoever manages geo files need not
// know what stands beside the panel.
func source() outbound.Options {
	return outbound.Options{
		Name: "geo_source", Service: "the source of the geo file", Reach: outbound.PublicOnly, Timeout: fetchWithin,
		MaxAnswer: dat.MaxSize + 1, Redirects: redirects, Retries: 2,
	}
}

// fetched is a file on the disk that has no name any more: it is gone with the process, however that ends.
type fetched struct {
	*os.File

	SHA256 string
	Size   int64
}

// fetch brings the file of an asset to the disk and compares it with the checksum of the source.
// Errors: *dat.Refusal, those of the context.
func (s *service) fetch(ctx context.Context, row *assetRow) (*fetched, error) {
	wanted, err := s.checksum(ctx, row)
	if err != nil {
		return nil, err
	}
	file, err := os.CreateTemp("", "panel-geo-*")
	if err != nil {
		return nil, onDisk(err)
	}
	out := &fetched{File: file}
	if err = os.Remove(file.Name()); err == nil {
		err = s.receive(ctx, row.SourceURL, out)
	}
	if err == nil && wanted != "" && wanted != out.SHA256 {
		err = refusal(reasonChecksum, "the source says %.12s… and the file has %.12s…", wanted, out.SHA256)
	}
	if err != nil {
		return nil, errors.Join(onDisk(err), file.Close())
	}
	return out, nil
}

func (s *service) receive(ctx context.Context, address string, into *fetched) error {
	answer, err := s.get(ctx, address)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	switch {
	case strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html"):
		return refusal(dat.HTML, "the source answers with a page")
	case answer.ContentLength > dat.MaxSize:
		return refusal(dat.TooLarge, "the source has %d bytes, more than %d", answer.ContentLength, dat.MaxSize)
	}
	sum := sha256.New()
	into.Size, err = io.Copy(io.MultiWriter(into.File, sum), answer.Body)
	into.SHA256 = hex.EncodeToString(sum.Sum(nil))
	switch {
	case into.Size > dat.MaxSize, errors.Is(err, outbound.ErrTooLarge):
		return refusal(dat.TooLarge, "the source gives more than %d bytes", dat.MaxSize)
	case errors.Is(err, syscall.ENOSPC):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return refusal(dat.Truncated, "the connection broke off after %d bytes", into.Size)
	case err != nil:
		return unreachable(err)
	case answer.ContentLength >= 0 && into.Size != answer.ContentLength:
		return refusal(dat.Truncated, "%d of %d bytes came", into.Size, answer.ContentLength)
	}
	return nil
}

func (s *service) get(ctx context.Context, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, refusal(reasonUnreachable, "its address cannot be used")
	}
	answer, err := s.web.Stream(ctx, request)
	if err != nil {
		return nil, unreachable(err)
	}
	return answer, nil
}

// unreachable tells a source that says no from one that does not answer.
func unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	var status *outbound.StatusError
	if errors.As(err, &status) {
		return refusal(reasonRefused, "the source answers with the status %d", status.Status)
	}
	if errors.Is(err, outbound.ErrForbidden) {
		return refusal(reasonRefused, "the address of the source is not public")
	}
	return refusal(reasonUnreachable, "%s", outbound.CauseOf(err).Text)
}

var hexDigest = pattern.Of(`^[0-9a-fA-F]{64}$`)

// checksum asks the source for the digest of the file; empty for one that publishes none. Known forms are the digest
// alone, and the lines of sha256sum, of which the one with the name of the file counts, else the first.
func (s *service) checksum(ctx context.Context, row *assetRow) (string, error) {
	if row.ChecksumURL == "" {
		return "", nil
	}
	answer, err := s.get(ctx, row.ChecksumURL)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	called := ""
	if u, err := url.Parse(row.SourceURL); err == nil {
		called = path.Base(u.Path)
	}
	first, lines := "", bufio.NewScanner(io.LimitReader(answer.Body, mostChecksums))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || !hexDigest().MatchString(words[0]) {
			continue
		}
		digest := strings.ToLower(words[0])
		if len(words) > 1 && path.Base(strings.TrimPrefix(words[1], "*")) == called {
			return digest, nil
		}
		if first == "" {
			first = digest
		}
	}
	if err := lines.Err(); err != nil {
		return "", unreachable(err)
	}
	if first == "" {
		return "", refusal(reasonChecksum, "the address of the checksum gives none")
	}
	return first, nil
}

func refusal(reason, format string, args ...any) error {
	return &dat.Refusal{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// onDisk says in words that a disk, of the panel or of the database, has no room.
func onDisk(err error) error {
	known, is := fault.As(err)
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || is && known.Kind == fault.KindUnavailable {
		return refusal(reasonDisk, "there is no room for the file")
	}
	return err
}
