package geo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
	"golang.org/x/net/idna"

	"panel/modules/geo/internal/dat"
	"panel/platform/fault"
	"panel/platform/files"
	"panel/platform/httpapi"
)

// indexes keeps what was read of versions for a while: whoever looks something up looks up more.
type indexes struct {
	files *files.Store
	clock clockwork.Clock

	mu  sync.Mutex
	all map[string]*indexed
}

type indexed struct {
	once  sync.Once
	index *dat.Index
	err   error
	asked time.Time
}

const (
	mostIndexes = 8
	indexFor    = 15 * time.Minute
)

func newIndexes(f *files.Store, clock clockwork.Clock) *indexes {
	return &indexes{files: f, clock: clock, all: map[string]*indexed{}}
}

// of gives the index of a version, which is made once however many ask for it.
func (x *indexes) of(ctx context.Context, sha256 string, size int64) (*dat.Index, error) {
	x.mu.Lock()
	x.tidy()
	one := x.all[sha256]
	if one == nil {
		one = &indexed{}
		x.all[sha256] = one
	}
	one.asked = x.clock.Now()
	x.mu.Unlock()
	one.once.Do(func() {
		var file io.ReaderAt
		if file, one.err = open(ctx, x.files, sha256, size); one.err == nil {
			one.index, one.err = dat.NewIndex(file, size)
		}
	})
	if one.err != nil {
		x.mu.Lock()
		delete(x.all, sha256)
		x.mu.Unlock()
		return nil, fmt.Errorf("read the geo file %.12s: %w", sha256, one.err)
	}
	return one.index, nil
}

// tidy forgets what nobody asks for. A file that is read at this moment is closed when nobody refers to it any more.
func (x *indexes) tidy() {
	oldest := ""
	for sum, one := range x.all {
		switch {
		case x.clock.Now().Sub(one.asked) > indexFor:
			delete(x.all, sum)
		case oldest == "" || one.asked.Before(x.all[oldest].asked):
			oldest = sum
		}
	}
	if len(x.all) >= mostIndexes {
		delete(x.all, oldest)
	}
}

// open gives a version to read anywhere: the copy on this panel's disk, or its bytes where there is none. An open file
// is closed by the runtime with the last one who refers to it.
func open(ctx context.Context, from *files.Store, sha256 string, size int64) (io.ReaderAt, error) {
	stored, _, err := from.Open(ctx, sha256)
	if err != nil {
		return nil, err
	}
	if file, onDisk := stored.(*os.File); onDisk {
		return file, nil
	}
	defer stored.Close()
	raw, err := io.ReadAll(io.LimitReader(stored, size))
	if err != nil {
		return nil, fmt.Errorf("read a geo file: %w", err)
	}
	return bytes.NewReader(raw), nil
}

// find asks all lists that nodes shall hold for a name or an address. Fault: invalid_value (422).
func (s *service) find(ctx context.Context, query string) (Found, error) {
	out := Found{Query: query, Kind: "domain", Matches: []Match{}}
	text := strings.ToLower(strings.TrimSuffix(strings.TrimSpace(query), "."))
	addr, isAddress := netip.ParseAddr(strings.Trim(text, "[]"))
	name, isName := idna.Lookup.ToASCII(text)
	switch {
	case isAddress == nil:
		out.Kind = "address"
		addr = addr.Unmap().WithZone("")
	case isName != nil || name == "":
		return out, fault.InvalidValue("query.q", "write a domain or an address")
	}
	rows, err := s.store.all(ctx)
	if err != nil {
		return out, err
	}
	used, err := s.used(ctx)
	if err != nil {
		return out, err
	}
	for i := range rows {
		row := &rows[i]
		if row.Version == nil || row.File == fileMMDB {
			continue
		}
		found, err := s.findIn(ctx, row, name, addr, isAddress == nil)
		if err != nil {
			return out, err
		}
		flows := flowsBy(used, row.Name)
		for _, m := range found {
			out.Matches = append(out.Matches, Match{
				AssetID: row.ID, Asset: row.Name, Category: m.Category, RuleKind: string(m.Item.Kind),
				Rule: m.Item.Text(), Attributes: append([]string{}, m.Item.Attributes...),
				UsedByCount: len(flows[m.Category]),
			})
		}
	}
	if isAddress == nil {
		place := s.atlas.of(ctx, addr)
		if place.Country != "" {
			out.Country = &place.Country
		}
		if place.ASN != 0 || place.Network != "" {
			out.Network = &Network{ASN: place.ASN, Name: place.Network}
		}
	}
	return out, nil
}

func (s *service) findIn(
	ctx context.Context, row *assetRow, name string, addr netip.Addr, isAddress bool,
) ([]dat.Match, error) {
	content, err := s.known.of(ctx, row.ID, *row.Version)
	if err != nil {
		return nil, err
	}
	if isAddress != (content.Kind == string(dat.Net)) {
		return nil, nil
	}
	index, err := s.index(ctx, row.ID, *row.Version)
	if err != nil {
		return nil, err
	}
	if isAddress {
		return index.Address(addr)
	}
	return index.Name(name)
}

// index gives that of a version. Fault: not_found (404).
func (s *service) index(ctx context.Context, assetID, sha256 string) (*dat.Index, error) {
	version, err := s.sized(ctx, assetID, sha256)
	if err != nil {
		return nil, err
	}
	return s.indexes.of(ctx, sha256, version.Size)
}

// sized gives a version without its categories. Fault: not_found (404).
func (s *service) sized(ctx context.Context, assetID, sha256 string) (versionRow, error) {
	rows, err := s.store.versions(ctx, assetID)
	if err != nil {
		return versionRow{}, err
	}
	at := slices.IndexFunc(rows, func(v versionRow) bool { return v.SHA256 == sha256 })
	if at < 0 {
		return versionRow{}, fault.Missing("this version of the file is not kept")
	}
	return rows[at], nil
}

// newestOf gives the version of an asset that people look into: the one that nodes shall hold, else the one that was
// fetched. Faults: not_found (404).
func (s *service) newestOf(ctx context.Context, id string) (assetRow, contents, string, error) {
	row, err := s.store.one(ctx, id, false)
	if err != nil {
		return row, contents{}, "", err
	}
	sha256 := ""
	switch {
	case row.Version != nil:
		sha256 = *row.Version
	case row.Candidate != nil:
		sha256 = *row.Candidate
	default:
		return row, contents{}, "", nil
	}
	content, err := s.known.of(ctx, row.ID, sha256)
	return row, content, sha256, err
}

// categoryPage lists categories by name. Fault: not_found (404).
func (s *service) categoryPage(ctx context.Context, in *categoriesInput) (httpapi.Page[Category], error) {
	page := httpapi.Page[Category]{Items: []Category{}}
	if !slices.Contains([]string{"", "category", "-category", "entries", "-entries"}, in.Sort) {
		return page, httpapi.ErrSort
	}
	row, content, _, err := s.newestOf(ctx, in.ID)
	if err != nil {
		return page, err
	}
	used, err := s.used(ctx)
	if err != nil {
		return page, err
	}
	flows, text := flowsBy(used, row.Name), strings.ToLower(in.Query)
	all := slices.DeleteFunc(slices.Clone(content.List), func(c dat.Category) bool {
		return !strings.Contains(c.Name, text)
	})
	slices.SortFunc(all, categoryOrder(in.Sort))
	from, err := placeIn(in.PageQuery, row.ID)
	if err != nil {
		return page, err
	}
	page.Total = len(all)
	for at := min(int(from), len(all)); at < len(all); at++ {
		if len(page.Items) == in.Limit {
			page.NextCursor = cursorAt(in.PageQuery, row.ID, int64(at))
			break
		}
		const named = 20
		ids := flows[all[at].Name]
		page.Items = append(page.Items, Category{
			Category: all[at].Name, Entries: all[at].Entries, UsedBy: append([]string{}, ids[:min(len(ids), named)]...),
			UsedByCount: len(ids),
		})
	}
	return page, nil
}

func categoryOrder(sort string) func(a, b dat.Category) int {
	return func(a, b dat.Category) int {
		order := strings.Compare(a.Name, b.Name)
		if by := a.Entries - b.Entries; strings.HasSuffix(sort, "entries") && by != 0 {
			order = by
		}
		if strings.HasPrefix(sort, "-") {
			return -order
		}
		return order
	}
}

// placeIn reads where a page begins that counts places: in a list in memory, or bytes in a category.
func placeIn(q httpapi.PageQuery, id string) (int64, error) {
	c, err := httpapi.ReadCursor(q.Cursor, q.Sort, httpapi.CursorNumber)
	if err != nil || c == nil {
		return 0, err
	}
	at, err := strconv.ParseInt(c.Value, 10, 64)
	if err != nil || at < 0 || c.ID != id {
		return 0, httpapi.ErrCursor
	}
	return at, nil
}

func cursorAt(q httpapi.PageQuery, id string, at int64) *string {
	return httpapi.Cursor{Sort: q.Sort, Value: strconv.FormatInt(at, 10), ID: id}.Text()
}

// entryPage lists what a category holds, in the sequence of the file. Fault: not_found (404).
func (s *service) entryPage(ctx context.Context, in *entriesInput) (httpapi.Page[Entry], error) {
	page := httpapi.Page[Entry]{Items: []Entry{}}
	if in.Sort != "" {
		return page, httpapi.ErrSort
	}
	row, content, sha256, err := s.newestOf(ctx, in.ID)
	if err != nil {
		return page, err
	}
	at := slices.IndexFunc(content.List, func(c dat.Category) bool { return c.Name == strings.ToLower(in.Category) })
	if at < 0 {
		return page, fault.Missing("the file has no such category")
	}
	from, err := placeIn(in.PageQuery, row.ID)
	if err != nil {
		return page, err
	}
	category := content.List[at]
	if from > category.Length {
		return page, httpapi.ErrCursor
	}
	index, err := s.index(ctx, row.ID, sha256)
	if err != nil {
		return page, err
	}
	text, begun := strings.ToLower(in.Query), int64(0)
	err = index.Items(&category, func(item *dat.Item, next int64) bool {
		matches := text == "" || strings.Contains(strings.ToLower(item.Text()), text)
		switch {
		case !matches:
		case begun < from:
			page.Total++
		case len(page.Items) < in.Limit:
			page.Total++
			page.Items = append(page.Items, Entry{
				Kind: string(item.Kind), Value: item.Text(), Attributes: append([]string{}, item.Attributes...),
			})
		default:
			if page.Total++; page.NextCursor == nil {
				page.NextCursor = cursorAt(in.PageQuery, row.ID, begun)
			}
		}
		begun = next
		return true
	})
	return page, err
}

// difference compares two kept versions. Faults: not_found (404), invalid_value (422).
func (s *service) difference(ctx context.Context, in *changesInput) (Changes, error) {
	out := Changes{From: in.From, To: in.To, Added: []string{}, Removed: []string{}, Changed: []CategoryChange{}}
	row, err := s.store.one(ctx, in.ID, false)
	if err != nil {
		return out, err
	}
	if row.File == fileMMDB {
		return out, fault.InvalidValue("id", "a database of places has no categories to compare")
	}
	out.From, out.To = sides(&row, in.From, in.To)
	if out.From == "" || out.To == "" {
		return out, fault.Missing("there are no two versions to compare")
	}
	from, err := s.compared(ctx, &row, out.From)
	if err != nil {
		return out, err
	}
	to, err := s.compared(ctx, &row, out.To)
	if err != nil {
		return out, err
	}
	const most, named = 200, 20
	added, removed, changed, cut, err := dat.Difference(from, to, most, named)
	if err != nil {
		return out, err
	}
	out.Added, out.Removed, out.Truncated = append(out.Added, added...), append(out.Removed, removed...), cut
	for _, c := range changed {
		out.Changed = append(out.Changed, CategoryChange(c))
	}
	return out, nil
}

// sides fills in what was left out of a comparison.
func sides(row *assetRow, from, to string) (string, string) {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	if to == "" {
		if to = text(row.Candidate); to == "" {
			to = text(row.Version)
		}
	}
	if from == "" {
		if from = text(row.Version); from == to {
			from = text(row.Previous)
		}
	}
	return from, to
}

func (s *service) compared(ctx context.Context, row *assetRow, sha256 string) (dat.Compared, error) {
	content, err := s.known.of(ctx, row.ID, sha256)
	if err != nil {
		return dat.Compared{}, err
	}
	version, err := s.sized(ctx, row.ID, sha256)
	if err != nil {
		return dat.Compared{}, err
	}
	file, err := open(ctx, s.files, sha256, version.Size)
	return dat.Compared{Categories: content.List, Source: file}, err
}
