package selfupdate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	"panel/platform/durable"
	"panel/platform/pattern"
	"panel/platform/release"
)

// request is what the panel asks of root's half. Root believes nothing of it but the wish: it reads the release itself.
type request struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`
	Version string    `json:"version,omitempty"`
	By      string    `json:"by"`
	At      time.Time `json:"at"`

	from string // a manifest on this machine, named by root at a terminal
}

const (
	longestRequest = 64 << 10
	longestPerson  = 64 // characters
)

var (
	runID  = pattern.Of(`^[0-9a-f-]{36}$`)
	person = pattern.Of(`^[\p{L}\p{N}._@ -]*$`)
)

// isPerson counts the length apart: a count over all letters makes an expression that is slow to start with.
func isPerson(name string) bool {
	return utf8.RuneCountInString(name) <= longestPerson && person().MatchString(name)
}

var errRequest = errors.New("the update request cannot be used")

func (r request) check() error {
	known := r.Kind == kindRollback || r.Kind == kindUpdate && release.Valid(r.Version)
	if !known || !runID().MatchString(r.ID) || !isPerson(r.By) {
		return errRequest
	}
	return nil
}

// write puts the request where the service looks, whole or not at all.
func (r request) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the update request: %w", err)
	}
	return durable.Write(path, 0o640, text)
}

// takeRequest reads the request and removes it once kept holds it; nil when there is none. One that cannot be used is
// removed too, or it would be tried for ever.
func takeRequest(folder *os.Root, kept func(request) error) error {
	r, err := readRequest(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = kept(r)
	}
	if removed := folder.Remove(requestName); err == nil && removed != nil {
		err = fmt.Errorf("remove the update request: %w", removed)
	}
	return err
}

func readRequest(folder *os.Root) (request, error) {
	var r request
	file, err := openPlain(folder, requestName, os.O_RDONLY)
	if err != nil {
		return r, fmt.Errorf("open the update request: %w", err)
	}
	defer file.Close()
	if err := json.NewDecoder(io.LimitReader(file, longestRequest)).Decode(&r); err != nil {
		return r, errRequest
	}
	return r, r.check()
}
