package authority

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	fileName     = "licenses.db"
	lockPatience = 5 * time.Second
)

var (
	licensesBucket = []byte("licenses")
	byKeyBucket    = []byte("license_by_key_hash")
	signingBucket  = []byte("signing_keys")
	factsBucket    = []byte("facts")
	buckets        = [][]byte{licensesBucket, byKeyBucket, signingBucket, factsBucket}
)

var errNotFound = errors.New("there is no such license")

// store opens its file for each operation, so that the server and the command line
// work side by side; the file's lock puts them in turn and each write is synced.
type store struct{ path string }

func openStore(folder string) (*store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making the data folder: %w; choose another with --data", err)
	}
	s := &store{filepath.Join(folder, fileName)}
	return s, s.write(func(tx *bolt.Tx) error {
		for _, name := range buckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("preparing the store: %w", err)
			}
		}
		return nil
	})
}

func (s *store) write(change func(*bolt.Tx) error) error {
	return s.opened(false, func(db *bolt.DB) error { return db.Update(change) })
}

func (s *store) read(look func(*bolt.Tx) error) error {
	return s.opened(true, func(db *bolt.DB) error { return db.View(look) })
}

func (s *store) opened(readOnly bool, use func(*bolt.DB) error) (err error) {
	db, err := bolt.Open(s.path, 0o600, &bolt.Options{Timeout: lockPatience, ReadOnly: readOnly})
	if err != nil {
		return fmt.Errorf("opening %s: %w; is another process holding it?", fileName, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return use(db)
}

func put(tx *bolt.Tx, bucket []byte, key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("writing %s: %w", bucket, err)
	}
	return tx.Bucket(bucket).Put([]byte(key), raw)
}

func get(tx *bolt.Tx, bucket []byte, key string, value any) error {
	raw := tx.Bucket(bucket).Get([]byte(key))
	if raw == nil {
		return errNotFound
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("reading %s: %w; restore the data folder from a copy", bucket, err)
	}
	return nil
}
