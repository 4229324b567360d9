package statuspage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"panel/modules/statuspage/internal/place"
	"panel/modules/statuspage/internal/site"
	"panel/platform/outbound"
)

// bringing is what goes on at one place.
type bringing struct {
	*service

	target *targetRow
	slug   string
	place  place.Place
	fence  func(ctx context.Context, change func(ctx context.Context) error) error

	files []site.File
	held  map[string]held
	sent  int
	bytes int64
}

func (s *service) bringing(
	t *targetRow, slug string, fence func(context.Context, func(context.Context) error) error,
) (*bringing, error) {
	opened, err := s.open(t)
	if err != nil {
		return nil, err
	}
	if node, is := opened.(*nodePlace); is {
		node.Place = &ownPlace{s.store, t.ID} // which closes without an error
	}
	return &bringing{service: s, target: t, slug: slug, place: opened, fence: fence}, nil
}

// compare says whether the files say something else than what the place holds.
func (b *bringing) compare(ctx context.Context, t *targetRow, files []site.File) (changes bool, err error) {
	b.files, b.held = files, map[string]held{}
	paths := idsOf(files, func(f *site.File) string { return f.Path })
	for path := range t.Files {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
			changes = true
		}
	}
	var seen map[string]string
	if _, node := b.place.(*nodePlace); !node {
		if seen, err = b.place.Held(ctx, paths); err != nil {
			return false, err
		}
	}
	for path, one := range t.Files {
		if one.SHA256 != "" && (seen == nil || seen[path] == one.SHA256) {
			b.held[path] = one
		}
	}
	for i := range files {
		changes = changes || b.held[files[i].Path].Stable != files[i].Stable
	}
	return changes, nil
}

// whole is the digest of all that the place holds.
func (b *bringing) whole() string {
	all := map[string]string{}
	for path, one := range b.held {
		all[path] = one.SHA256
	}
	return site.Whole(all)
}

// send brings a part of the files, those that the place does not hold. What is about to be overwritten is unknown from
// then on, so that nobody who dies in the middle leaves a file behind that others take for another.
func (b *bringing) send(ctx context.Context, part func(*site.File) bool) error {
	var due []*site.File
	for i := range b.files {
		if f := &b.files[i]; part(f) && b.held[f.Path].SHA256 != f.SHA256 {
			due = append(due, f)
			if was, there := b.held[f.Path]; there {
				b.held[f.Path] = held{Stable: was.Stable}
			}
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := b.note(ctx); err != nil {
		return err
	}
	if node, is := b.place.(*nodePlace); is {
		if err := node.bring(ctx, b.files); err != nil {
			return err
		}
	}
	for _, f := range due {
		if _, is := b.place.(*nodePlace); !is {
			if err := b.place.Put(ctx, f); err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
		b.held[f.Path] = held{f.SHA256, f.Stable}
		b.sent, b.bytes = b.sent+1, b.bytes+int64(len(f.Content))
	}
	return b.note(ctx)
}

// note writes down what the place holds.
func (b *bringing) note(ctx context.Context) error {
	b.target.Files = b.held
	err := b.fence(ctx, func(ctx context.Context) error { return b.store.save(ctx, b.target, "files") })
	if err != nil {
		return &notedError{err}
	}
	return nil
}

// check fetches a part of the files back and compares them.
func (b *bringing) check(ctx context.Context, part func(*site.File) bool) error {
	if node, is := b.place.(*nodePlace); is {
		return node.taken(ctx)
	}
	for i := range b.files {
		if f := &b.files[i]; part(f) {
			if err := b.fetchedBack(ctx, b.place, b.target, b.slug, f); err != nil {
				delete(b.held, f.Path)
				return errors.Join(fmt.Errorf("%s: %w", f.Path, err), b.note(ctx))
			}
		}
	}
	return nil
}

// clean takes files away that the page has no more.
func (b *bringing) clean(ctx context.Context) error {
	if _, is := b.place.(*nodePlace); is {
		return nil
	}
	for path := range b.held {
		if slices.ContainsFunc(b.files, func(f site.File) bool { return f.Path == path }) {
			continue
		}
		if err := b.place.Remove(ctx, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		delete(b.held, path)
	}
	return b.note(ctx)
}

const (
	fetchTries  = 3
	fetchPause  = 2 * time.Second
	fetchMost   = 64 << 20
	fetchWithin = 20 * time.Second
)

// fetchedBack fetches a file as readers do, or by the place's own way where nobody said how they do.
func (s *service) fetchedBack(ctx context.Context, at place.Place, t *targetRow, slug string, f *site.File) error {
	address := ""
	if t.Kind != kindPanel && t.Config.PublicURL != "" {
		address = directory(s.addressOf(t, slug)) + f.Path
	}
	var err error
	for try := range fetchTries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(fetchPause):
			}
		}
		var got []byte
		if got, err = s.fetched(ctx, at, address, f.Path); err == nil && !bytes.Equal(got, f.Content) {
			err = errOther
		}
		if err == nil || address == "" {
			return err
		}
	}
	return err
}

func (s *service) fetched(ctx context.Context, at place.Place, address, path string) ([]byte, error) {
	if address == "" {
		return at.Get(ctx, path)
	}
	client := s.network.New(outbound.Options{
		Name: "statuspage", Service: "the address of the page", Reach: outbound.Private, Timeout: fetchWithin,
		MaxAnswer: fetchMost,
	})
	defer client.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address of the page cannot be used")
	}
	request.Header.Set("Cache-Control", "no-cache")
	answer, err := client.Do(ctx, request)
	if err != nil {
		reason, _ := outbound.Explain(err)
		return nil, fmt.Errorf("fetch it back from %s: %s", strings.TrimSuffix(address, path), reason)
	}
	if !answer.OK() {
		return nil, fmt.Errorf("fetch it back from %s: HTTP %d", strings.TrimSuffix(address, path), answer.Status)
	}
	return answer.Body, nil
}
