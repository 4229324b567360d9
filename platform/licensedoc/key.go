package licensedoc

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Letters that people confuse (I, L, O, U) are not in the alphabet.
const (
	alphabet   = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	keyPrefix  = "PNL"
	keySymbols = 12
	groupSize  = 4
	hidden     = "••••"
)

// ErrKeyForm says that a text is no license key; it never repeats the text.
var ErrKeyForm = errors.New(
	"a license key has the form PNL-XXXX-XXXX-XXXX and its last character must match the others",
)

// Key is the secret a customer is given. It prints masked; Reveal gives the secret.
type Key struct{ symbols string }

// NewKey makes a key of 55 random bits and one check character.
func NewKey() (Key, error) {
	raw := make([]byte, keySymbols-1)
	if _, err := rand.Read(raw); err != nil {
		return Key{}, fmt.Errorf("making a license key: %w", err)
	}
	for i := range raw {
		raw[i] = alphabet[raw[i]%32]
	}
	return Key{string(raw) + string(checkSymbol(string(raw)))}, nil
}

// ParseKey forgives case, spaces, dashes and confused letters, and nothing else.
// Fault: ErrKeyForm.
func ParseKey(text string) (Key, error) {
	symbols, found := strings.CutPrefix(normal(text), keyPrefix)
	if !found || len(symbols) != keySymbols {
		return Key{}, ErrKeyForm
	}
	symbols = strings.NewReplacer("I", "1", "L", "1", "O", "0").Replace(symbols)
	if strings.Trim(symbols, alphabet) != "" || symbols[keySymbols-1] != checkSymbol(symbols[:keySymbols-1]) {
		return Key{}, ErrKeyForm
	}
	return Key{symbols}, nil
}

func normal(text string) string {
	if len(text) > 64 {
		return ""
	}
	return strings.ToUpper(strings.NewReplacer("-", "", " ", "", "–", "").Replace(strings.TrimSpace(text)))
}

// Reveal is the key as its owner writes it.
func (k Key) Reveal() string {
	return strings.Join(
		[]string{keyPrefix, k.symbols[:groupSize], k.symbols[groupSize : 2*groupSize], k.symbols[2*groupSize:]},
		"-",
	)
}

// Masked is the only form that is ever displayed: PNL-••••-••••-7F3A.
func (k Key) Masked() string {
	if k.IsZero() {
		return ""
	}
	return strings.Join([]string{keyPrefix, hidden, hidden, k.symbols[2*groupSize:]}, "-")
}

// String and GoString keep the key out of logs and errors.
func (k Key) String() string { return k.Masked() }

// GoString is String for %#v.
func (k Key) GoString() string { return k.Masked() }

// IsZero tells whether there is no key.
func (k Key) IsZero() bool { return k.symbols == "" }

// Hash binds a document to a key without carrying it. A masked key leaves few enough
// possibilities for guessing, so the hash is slow and differs per installation.
func (k Key) Hash(instanceID string) string {
	return hex.EncodeToString(argon2.IDKey([]byte(k.symbols), []byte("panel license "+instanceID), 2, 19<<10, 1, 32))
}

// checkSymbol is a sum weighted by the powers of a generator of GF(32): it catches
// every single wrong character and every swap of two.
func checkSymbol(symbols string) byte {
	sum := 0
	for _, symbol := range []byte(symbols) {
		sum = times2(sum ^ strings.IndexByte(alphabet, symbol))
	}
	return alphabet[sum]
}

func times2(x int) int {
	x <<= 1
	if x&32 != 0 {
		x ^= 0b100101
	}
	return x
}
