package authority

import (
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"panel/platform/licensedoc"
)

// signingRecord is one signing key; each but the first carries the word of the one before it.
type signingRecord struct {
	Seed        []byte    `json:"seed"`
	CreatedAt   time.Time `json:"created_at"`
	Endorsement string    `json:"endorsement,omitempty"`
}

type signer struct {
	key   licensedoc.SigningKey
	chain []licensedoc.Endorsement
}

func (s signer) sign(d licensedoc.Document) (string, error) {
	return licensedoc.Sign(d, s.key, s.chain...)
}

// PublicKey is what panels are given as PANEL_LICENSE_PUBLIC_KEY.
func (a *Authority) PublicKey() (licensedoc.PublicKey, error) {
	var s signer
	err := a.store.read(func(tx *bolt.Tx) (err error) {
		s, err = currentSigner(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.key.Public(), nil
}

// Rotate makes a new signing key that the old one endorses: panels that know only
// the old key accept documents of the new one, and documents of the old one stay good.
func (a *Authority) Rotate() (licensedoc.PublicKey, error) {
	key, err := licensedoc.GenerateSigningKey()
	if err != nil {
		return nil, err
	}
	err = a.store.write(func(tx *bolt.Tx) error {
		old, err := currentSigner(tx)
		if err != nil {
			return err
		}
		return a.addSigningKey(tx, key, licensedoc.Endorse(old.key, key.Public()).String())
	})
	return key.Public(), err
}

func (a *Authority) ensureSigningKey(tx *bolt.Tx) error {
	if first, _ := tx.Bucket(signingBucket).Cursor().First(); first != nil {
		return nil
	}
	key, err := licensedoc.GenerateSigningKey()
	if err != nil {
		return err
	}
	return a.addSigningKey(tx, key, "")
}

func (a *Authority) addSigningKey(tx *bolt.Tx, key licensedoc.SigningKey, endorsement string) error {
	n, err := tx.Bucket(signingBucket).NextSequence()
	if err != nil {
		return fmt.Errorf("numbering a signing key: %w", err)
	}
	return put(tx, signingBucket, fmt.Sprintf("%08d", n), signingRecord{key.Seed(), a.now(), endorsement})
}

func currentSigner(tx *bolt.Tx) (signer, error) {
	var records []signingRecord
	err := tx.Bucket(signingBucket).ForEach(func(number, _ []byte) error {
		var r signingRecord
		err := get(tx, signingBucket, string(number), &r)
		records = append(records, r)
		return err
	})
	if err != nil || len(records) == 0 {
		return signer{}, fmt.Errorf("reading the signing keys: %w", err)
	}
	return assemble(records)
}

func assemble(records []signingRecord) (signer, error) {
	var words []string
	for _, r := range records {
		if r.Endorsement != "" {
			words = append(words, r.Endorsement)
		}
	}
	key, err := licensedoc.SigningKeyFromSeed(records[len(records)-1].Seed)
	if err != nil {
		return signer{}, err
	}
	chain, err := licensedoc.ParseEndorsements(words[max(0, len(words)-licensedoc.MaxEndorsements):])
	return signer{key, chain}, err
}
