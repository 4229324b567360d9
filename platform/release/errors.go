package release

import "errors"

// What can be wrong with a release; every error of this package wraps one of them or is a failure of this machine.
var (
	ErrUnreachable = errors.New("the release cannot be fetched")
	ErrUntrusted   = errors.New("the release is not signed by a key that this installation trusts")
	ErrManifest    = errors.New("the release manifest cannot be used")
	ErrNoArtefact  = errors.New("the release has no such file")
	ErrDamaged     = errors.New("the file is not the one that the release names")
	ErrKey         = errors.New("the update key is not a minisign public key")
)
