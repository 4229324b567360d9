// Package remote keeps files at other places: in a bucket of S3, and in a folder of an SSH server. A file is there with
// its whole content, or not at all; a server that shows another key than the pinned one is refused.
package remote

import (
	"cmp"
	"context"
	"errors"

	"panel/platform/fault"
	"panel/platform/outbound"
)

// Draft is behind the name of a file that is being written.
const Draft = ".part"

var (
	// ErrMissing says that a file is not there.
	ErrMissing = errors.New("the file is not there")
	// ErrFull says that the place has no room left.
	ErrFull = errors.New("the disk of the other side is full: make room there")
	// ErrOther says that the place has another content than it was given.
	ErrOther = errors.New("the place gave back another content than it was given")
)

// File is one file of a place.
type File struct {
	Name  string
	Bytes int64
}

// About is what a place is told of a file, as far as it can keep that.
type About struct {
	Size         int64 // 0: not known
	MediaType    string
	CacheControl string
}

// Env is what places need of the panel.
type Env struct {
	Network *outbound.Network
	Reach   outbound.Reach
	Name    string // of the caller, for the codes of faults
	Words   Words
	// Moving is told that bytes are on their way; nil: nobody asks.
	Moving func(ctx context.Context)
}

// Words are what errors say was being done.
type Words struct {
	Send, Open, Read, Remove, ListBucket, ListFolder string
	Full                                             error  // instead of ErrFull; wraps it
	AccessKey                                        string // the field of the settings; access_key_id when empty
}

func (w Words) full() error {
	if w.Full != nil {
		return w.Full
	}
	return ErrFull
}

func (w Words) accessKey() string { return cmp.Or(w.AccessKey, "access_key_id") }

func (e Env) moved(ctx context.Context) {
	if e.Moving != nil {
		e.Moving(ctx)
	}
}

func wrong(field, message string) error { return fault.InvalidValue("config."+field, message) }
