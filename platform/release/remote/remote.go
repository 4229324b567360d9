// Package remote reads releases from their server, through the panel's one client for calls to other services.
package remote

import (
	"context"
	"time"

	"panel/platform/outbound"
	"panel/platform/release"
)

const (
	// longest is the time of one file; release bounds the manifest and each file by shorter ones of its own.
	longest = 10 * time.Minute
	// largest is more than any program of a release has; release knows the size of each file and stops there.
	largest = 2 << 30
	// mirrors is how often a server of releases may point at another one.
	mirrors = 3
)

// Server is where the operator's releases lie.
type Server struct{ client *outbound.Client }

// New makes the client for the servers of releases. Their address comes from the panel's own variables, so that every
// address may be called.
func New(network *outbound.Network) *Server {
	return &Server{client: network.New(outbound.Options{
		Name: "release_server", Service: "the release server", Reach: outbound.Configured, Timeout: longest,
		MaxAnswer: largest, Redirects: mirrors,
	})}
}

// Open fetches and checks the manifest at an address, or in a file of this machine, as release.Open does. What the
// server does wrong is a fault, release_server_error or release_server_timeout, inside release.ErrUnreachable.
func (s *Server) Open(ctx context.Context, address, publicKey string) (*release.Release, error) {
	return release.Open(ctx, address, publicKey, release.Over(s.client))
}
