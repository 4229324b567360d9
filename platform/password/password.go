// Package password hashes passwords with argon2id and keeps the hashing within the machine's cores.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"panel/platform/fault"
)

// Cost of one hash; a stored hash carries its own, so these may be raised and old hashes still verify.
const (
	memoryKiB  = 19 << 10
	iterations = 2
	lanes      = 1
	saltBytes  = 16
	keyBytes   = 32
)

const (
	slotWait  = 2 * time.Second
	retryTime = 2 * time.Second
)

// Hasher lets as many hashes run at once as there are cores; without that, a flood of logins takes all memory.
type Hasher struct {
	slots chan struct{}
	dummy string
}

// NewHasher makes a hasher for this machine.
func NewHasher() *Hasher {
	return &Hasher{slots: make(chan struct{}, runtime.GOMAXPROCS(0)), dummy: unmatched()}
}

// Hash gives the hash to store. When no core is free for 2 s it is fault 429.
func (h *Hasher) Hash(ctx context.Context, plain string) (string, error) {
	if err := h.enter(ctx); err != nil {
		return "", err
	}
	defer h.leave()
	return encode(plain), nil
}

// Verify says whether the password matches and whether its hash should be made anew at today's cost.
// An empty hash, of an unknown account, costs the same time and never matches.
func (h *Hasher) Verify(ctx context.Context, plain, hash string) (matches, stale bool, err error) {
	if err := h.enter(ctx); err != nil {
		return false, false, err
	}
	defer h.leave()
	if hash == "" {
		compare(plain, h.dummy)
		return false, false, nil
	}
	return compare(plain, hash), !strings.HasPrefix(hash, header()), nil
}

func (h *Hasher) enter(ctx context.Context) error {
	timer := time.NewTimer(slotWait)
	defer timer.Stop()
	select {
	case h.slots <- struct{}{}:
		return nil
	case <-timer.C:
		return fault.Throttled(retryTime)
	case <-ctx.Done():
		return fmt.Errorf("wait for a free core to check a password: %w", ctx.Err())
	}
}

func (h *Hasher) leave() { <-h.slots }

func header() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, memoryKiB, iterations, lanes)
}

// encode gives the PHC text of a new salted hash.
func encode(plain string) string {
	salt := drawn(saltBytes)
	return text(salt, argon2.IDKey([]byte(plain), salt, iterations, memoryKiB, lanes, keyBytes))
}

// unmatched is the text of a hash that no password has, and costs nothing to make.
func unmatched() string { return text(drawn(saltBytes), drawn(keyBytes)) }

func drawn(n int) []byte {
	random := make([]byte, n)
	_, _ = rand.Read(random) // never fails: the runtime ends the process instead
	return random
}

func text(salt, key []byte) string {
	return header() + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(key)
}

type parsed struct {
	memory, iterations uint32
	lanes              uint8
	salt, key          []byte
}

var errForm = errors.New("the stored password hash cannot be read")

func parse(hash string) (parsed, error) {
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return parsed{}, errForm
	}
	var p parsed
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.iterations, &p.lanes); err != nil {
		return parsed{}, errForm
	}
	var saltErr, keyErr error
	p.salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
	p.key, keyErr = base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || keyErr != nil || len(p.key) == 0 || p.iterations == 0 || p.lanes == 0 {
		return parsed{}, errForm
	}
	return p, nil
}

func compare(plain, hash string) bool {
	p, err := parse(hash)
	if err != nil {
		return false
	}
	key := argon2.IDKey([]byte(plain), p.salt, p.iterations, p.memory, p.lanes, uint32(len(p.key)))
	return subtle.ConstantTimeCompare(key, p.key) == 1
}
