package artefact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// Find gives one artefact by its name; "" or "latest" means the newest. One that lacks a part is ErrDamaged, so that
// whoever knows of another place looks there. ErrNone, ErrMissing.
func Find(ctx context.Context, at Destination, name string, keys Keys) (Listed, error) {
	if name == "" || name == "latest" {
		names, err := Names(ctx, at)
		if err != nil {
			return Listed{}, err
		}
		if len(names) == 0 {
			return Listed{}, ErrNone
		}
		name = names[0]
	}
	name = strings.TrimSuffix(name, manifestEnd)
	if !IsName(name) {
		return Listed{}, fmt.Errorf("this is no name of a backup: %w", ErrMissing)
	}
	one, err := read(ctx, at, name, keys)
	if err != nil {
		return one, err
	}
	there, err := filesOf(ctx, at)
	if err == nil {
		err = complete(ctx, at, one.Manifest, there)
	}
	return one, err
}

func read(ctx context.Context, at Destination, name string, keys Keys) (Listed, error) {
	file, err := at.Open(ctx, name+manifestEnd)
	if err != nil {
		return Listed{}, fmt.Errorf("open the backup %s: %w", name, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestManifest))
	if err != nil {
		return Listed{}, fmt.Errorf("read the backup %s: %w", name, err)
	}
	return decode(text, name, keys.Masters)
}

// Prove reads every part and compares it with the manifest: ErrDamaged for a missing, swapped, reordered or changed
// one.
func Prove(ctx context.Context, at Destination, m *Manifest, progress func(Progress)) error {
	var done int64
	for _, entry := range m.Entries {
		content := &parts{ctx: ctx, at: at, name: m.Name, left: entry.Parts}
		buffer := make([]byte, chunkBytes)
		for {
			n, err := content.Read(buffer)
			done += int64(n)
			if progress != nil && n > 0 {
				progress(Progress{Step: "checking", Entry: entry.Name, Bytes: done, Total: m.Bytes()})
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return errors.Join(err, content.Close())
			}
		}
	}
	return nil
}

// Open gives the plain content of an entry. The end of each part is given out only after its digest was proved, and an
// error of the reader means that nothing read so far may be used. ErrNeedsKey, ErrDamaged.
func Open(ctx context.Context, at Destination, m *Manifest, entry Entry, keys Keys) (io.ReadCloser, error) {
	info := m.entry(entry)
	if info == nil {
		return nil, fmt.Errorf("the backup %s has no entry %s: %w", m.Name, entry, ErrMissing)
	}
	content := &parts{ctx: ctx, at: at, name: m.Name, left: info.Parts}
	plain, err := decrypted(content, m, keys)
	if err != nil {
		return nil, errors.Join(err, content.Close())
	}
	unpacked, err := zstd.NewReader(plain, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(2*packWindow))
	if err != nil {
		return nil, errors.Join(damaged(m.Name, "it cannot be unpacked"), content.Close())
	}
	return &entryReader{name: m.Name, parts: content, unpacked: unpacked}, nil
}

func decrypted(content *parts, m *Manifest, keys Keys) (io.Reader, error) {
	if m.Encryption == Plain {
		return content, nil
	}
	identity, err := keys.identity(m.Encryption)
	if err != nil {
		return nil, err
	}
	plain, err := age.Decrypt(content, identity)
	var none *age.NoIdentityMatchError
	switch {
	case errors.As(err, &none):
		return nil, ErrNeedsKey
	case errors.Is(err, ErrDamaged), errors.Is(err, ErrMissing), errors.Is(err, context.Canceled):
		return nil, err
	case err != nil:
		return nil, damaged(m.Name, "it cannot be decrypted")
	}
	return plain, nil
}

func (k Keys) identity(mode Mode) (age.Identity, error) {
	switch {
	case mode == ByRecipient && k.Identity != "":
		all, err := age.ParseIdentities(strings.NewReader(k.Identity))
		if err != nil || len(all) != 1 {
			return nil, errors.New("the key is no age identity: it begins with AGE-SECRET-KEY-1")
		}
		return all[0], nil
	case mode == ByPassphrase && k.Passphrase != "":
		identity, err := age.NewScryptIdentity(k.Passphrase)
		if err != nil {
			return nil, fmt.Errorf("use the passphrase: %w", err)
		}
		return identity, nil
	}
	return nil, ErrNeedsKey
}

// entryReader gives the plain content, and its end only when every part was proved to its end.
type entryReader struct {
	name     string
	parts    *parts
	unpacked *zstd.Decoder
}

// Read turns what cannot be decrypted or unpacked into ErrDamaged.
func (r *entryReader) Read(into []byte) (int, error) {
	n, err := r.unpacked.Read(into)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		return n, r.end()
	case r.parts.failed != nil:
		return n, r.parts.failed
	}
	return n, damaged(r.name, "it cannot be unpacked")
}

// end makes sure that nothing is left behind the content.
func (r *entryReader) end() error {
	rest, err := io.Copy(io.Discard, r.parts)
	if err != nil {
		return err
	}
	if rest > 0 {
		return damaged(r.name, "it goes on behind its end")
	}
	return io.EOF
}

// Close ends the reading of the parts.
func (r *entryReader) Close() error {
	r.unpacked.Close()
	return r.parts.Close()
}

// Remove takes an artefact away, its manifest first, so that a half of it is never offered.
func Remove(ctx context.Context, at Destination, m *Manifest) error {
	files := []string{m.Name + manifestEnd}
	for _, entry := range m.Entries {
		for _, p := range entry.Parts {
			files = append(files, p.File)
		}
	}
	for _, file := range files {
		if err := at.Remove(ctx, file); err != nil {
			return fmt.Errorf("remove the backup %s: %w", m.Name, err)
		}
	}
	return nil
}

// Abandoned is how old the parts of a backup are that nobody finishes any more.
const Abandoned = 24 * time.Hour

// Sweep removes what interrupted runs left behind: parts without a manifest that were begun more than a day ago. Names
// that do not look like an artefact's are left alone.
func Sweep(ctx context.Context, at Destination, now time.Time) error {
	files, err := at.Files(ctx)
	if err != nil {
		return fmt.Errorf("look for remains of backups: %w", err)
	}
	whole := map[string]bool{}
	for _, file := range files {
		if name, _, ok := split(file.Name); ok && isManifest(file.Name) {
			whole[name] = true
		}
	}
	for _, file := range files {
		name, began, ok := split(file.Name)
		if !ok || whole[name] || now.Sub(began) < Abandoned {
			continue
		}
		if err := at.Remove(ctx, file.Name); err != nil {
			return fmt.Errorf("remove remains of backups: %w", err)
		}
	}
	return nil
}
