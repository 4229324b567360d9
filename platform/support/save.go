package support

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"panel/platform/durable"
	"panel/platform/fault"
	"panel/platform/outbound"
)

// Schema is the form of Manifest.
const Schema = "panelctl.support/v1"

// Write packs a bundle into a stream: a tar of MANIFEST.json and the parts, compressed.
func Write(ctx context.Context, o Options, to io.Writer) (Manifest, error) {
	manifest, parts, err := gather(ctx, o)
	if err != nil {
		return manifest, err
	}
	return manifest, pack(manifest, parts, to)
}

func pack(manifest Manifest, parts []part, to io.Writer) error {
	list, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return fmt.Errorf("pack the support bundle: %w", err)
	}
	packed := gzip.NewWriter(to)
	archive := tar.NewWriter(packed)
	for _, p := range append([]part{{name: "MANIFEST.json", content: append(list, '\n')}}, parts...) {
		head := &tar.Header{
			Name: p.name, Mode: 0o600, Size: int64(len(p.content)), ModTime: manifest.CreatedAt,
			Typeflag: tar.TypeReg,
		}
		if err := archive.WriteHeader(head); err != nil {
			return fmt.Errorf("pack the support bundle: %w", err)
		}
		if _, err := archive.Write(p.content); err != nil {
			return fmt.Errorf("pack the support bundle: %w", err)
		}
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		return fmt.Errorf("pack the support bundle: %w", err)
	}
	return nil
}

// Folder is where bundles of a data folder are saved.
func Folder(dataDir string) string { return filepath.Join(dataDir, inData) }

const inData = "support"

// Name is what a bundle of a moment is called.
func Name(at time.Time) string { return "panel-" + at.UTC().Format("20060102-1504") + ".tar.gz" }

// Save packs a bundle and answers where it lies: panel-20261120-1402.tar.gz, readable by its owner alone. A bundle is
// whole or absent, and none is written over.
func Save(ctx context.Context, o Options) (path string, m Manifest, err error) {
	o = o.complete()
	m, parts, err := gather(ctx, o)
	if err != nil {
		return "", m, err
	}
	var packed bytes.Buffer
	if err := pack(m, parts, &packed); err != nil {
		return "", m, err
	}
	folder := o.Folder
	if folder == "" {
		folder = Folder(dataDir(o))
	}
	path, err = place(filepath.Join(folder, Name(m.CreatedAt)), func(path string) error {
		return keep(o, path,
			packed.Bytes())
	})
	if err != nil {
		return "", m, fmt.Errorf("save the support bundle in %s: %w", folder, err)
	}
	return path, m, nil
}

// keep leaves a bundle in the data folder to its owner, and one in a folder that was named to whoever named it.
func keep(o Options, path string, packed []byte) error {
	if o.Folder == "" {
		return durable.CreateBelow(dataDir(o), filepath.Join(inData, filepath.Base(path)), 0o600, packed)
	}
	if err := os.MkdirAll(o.Folder, 0o700); err != nil {
		return err
	}
	return durable.Create(path, 0o600, packed)
}

// place keeps a bundle under its name, with a number when the name is taken.
func place(path string, keep func(path string) error) (string, error) {
	const ending, most = ".tar.gz", 100
	for n := 1; n < most; n++ {
		name := path
		if n > 1 {
			name = path[:len(path)-len(ending)] + "-" + strconv.Itoa(n) + ending
		}
		err := keep(name)
		if !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", fs.ErrExist
}

const sendWithin = 5 * time.Minute

// Send uploads a saved bundle to the address of PANEL_SUPPORT_URL by POST. Without TLS it goes only to this machine.
// The proxy is that of PANEL_HTTP_PROXY; empty for none. No redirect is followed: the bundle goes where the operator
// said.
// Faults: support_url_invalid, support_server_error, support_server_timeout.
func Send(ctx context.Context, path, address, proxy string) error {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && (parsed.Scheme != "http" ||
		!local(parsed.Hostname())) {
		return fault.Invalid("support_url_invalid", "PANEL_SUPPORT_URL must begin with https://")
	}
	network, err := outbound.Through(proxy)
	if err != nil {
		return fault.Invalid("support_url_invalid", "PANEL_HTTP_PROXY cannot be used as the address of a proxy")
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the support bundle: %w", err)
	}
	defer file.Close()
	about, err := file.Stat()
	if err != nil {
		return fmt.Errorf("open the support bundle: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, file)
	if err != nil {
		return fault.Invalid("support_url_invalid", "PANEL_SUPPORT_URL cannot be used as an address")
	}
	request.ContentLength = about.Size()
	request.Header.Set("Content-Type", "application/gzip")
	request.Header.Set("Content-Disposition", `attachment; filename="`+filepath.Base(path)+`"`)
	return upload(ctx, network, request)
}

func local(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func upload(ctx context.Context, network *outbound.Network, request *http.Request) error {
	client := network.New(outbound.Options{
		Name: "support_server", Service: "the support address", Reach: outbound.Configured, Timeout: sendWithin,
	})
	defer client.Close()
	answer, err := client.Do(ctx, request)
	switch {
	case fault.KindOf(err) == fault.KindUpstreamTimeout:
		return fault.UpstreamTimeout("support_server_timeout",
			"the support address did not answer in time; the bundle is kept").Wrap(err)
	case err != nil:
		return fault.Upstream("support_server_error", "the support address cannot be reached; the bundle is kept").
			Wrap(err)
	case !answer.OK():
		return fault.Upstream("support_server_error", fmt.Sprintf("the support address answered %d; the bundle is kept",
			answer.Status))
	}
	return nil
}
