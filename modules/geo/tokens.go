package geo

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"panel/modules/geo/internal/dat"
	"panel/platform/pattern"
)

// mostMissing is how many missing categories an asset names.
const mostMissing = 100

// token is a category as flows write it.
type token struct {
	File      string // geosite.dat, or the name of a custom file
	Category  string
	Attribute string // of names: only those with it
	Not       bool   // of networks: all others
}

var categoryForm = pattern.Of(`^[a-z0-9][a-z0-9!_.+-]{0,63}(@[a-z0-9!_.+-]{1,32})?$`)

// parseToken reads "geosite:ru-blocked", "geoip:!ru" or "custom.dat:ads"; false for anything else.
func parseToken(text string) (t token, ok bool) {
	file, rest, found := strings.Cut(strings.ToLower(text), ":")
	switch {
	case !found:
		return t, false
	case file == fileGeoIP, file == fileGeosite:
		file += extension
	case file == nameGeoIP, file == nameGeosite, !fileName().MatchString(file), !strings.HasSuffix(file, extension):
		return t, false
	}
	return tokenIn(file, rest)
}

// tokenIn reads what stands behind the file.
func tokenIn(file, rest string) (t token, ok bool) {
	t.File = file
	if file != nameGeosite {
		rest, t.Not = strings.CutPrefix(rest, "!")
	}
	if !categoryForm().MatchString(rest) {
		return t, false
	}
	t.Category, t.Attribute, _ = strings.Cut(rest, "@")
	return t, true
}

// text is the token as flows write it.
func (t token) text() string {
	file := t.File
	if file == nameGeoIP || file == nameGeosite {
		file = strings.TrimSuffix(file, extension)
	}
	rest := t.Category
	if t.Not {
		rest = "!" + rest
	}
	if t.Attribute != "" {
		rest += "@" + t.Attribute
	}
	return file + ":" + rest
}

// usedToken is a category with the flows that are installed with it.
type usedToken struct {
	token

	FlowIDs []string
}

// used gives what installed flows use.
func (s *service) used(ctx context.Context) ([]usedToken, error) {
	found, err := s.flows.GeoTokens(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what flows use of geo files: %w", err)
	}
	out := make([]usedToken, 0, len(found))
	for _, one := range found {
		t, ok := tokenIn(one.File, strings.ToLower(one.Token))
		if strings.Contains(one.Token, ":") {
			t, ok = parseToken(one.Token)
		}
		if ok {
			out = append(out, usedToken{t, one.FlowIDs})
		}
	}
	return out, nil
}

// usedOf gives what installed flows use of a file.
func (s *service) usedOf(ctx context.Context, file string) ([]usedToken, error) {
	all, err := s.used(ctx)
	return slices.DeleteFunc(all, func(u usedToken) bool { return u.File != file }), err
}

// missingOf shapes tokens for people, by their text.
func missingOf(used []usedToken) []MissingToken {
	out := make([]MissingToken, 0, len(used))
	for _, one := range used {
		out = append(out, MissingToken{Token: one.text(), FlowIDs: append([]string{}, one.FlowIDs...)})
	}
	slices.SortFunc(out, func(a, b MissingToken) int { return strings.Compare(a.Token, b.Token) })
	return out
}

// lacking gives what installed flows use of a file and a version of it has not.
func (s *service) lacking(ctx context.Context, file string, categories map[string]int) ([]MissingToken, error) {
	used, err := s.usedOf(ctx, file)
	used = slices.DeleteFunc(used, func(u usedToken) bool { return categories[u.Category] > 0 })
	return missingOf(used), err
}

// flowsBy gives the flows that are installed with each category of a file.
func flowsBy(used []usedToken, file string) map[string][]string {
	out := map[string][]string{}
	for _, one := range used {
		if one.File == file {
			out[one.Category] = append(out[one.Category], one.FlowIDs...)
		}
	}
	for category, ids := range out {
		slices.Sort(ids)
		out[category] = slices.Compact(ids)
	}
	return out
}

// known remembers what versions hold. A version never changes, so that nothing has to be forgotten but for room.
type known struct {
	store *store

	mu  sync.Mutex
	all map[string]contents
}

// contents are the categories of a version.
type contents struct {
	Kind    string
	Entries map[string]int // by category
	List    []dat.Category // in the sequence of the file
}

func newKnown(s *store) *known { return &known{store: s, all: map[string]contents{}} }

// of gives the categories of a version with the number of their entries. Fault: not_found (404).
func (k *known) of(ctx context.Context, assetID, sha256 string) (contents, error) {
	const most = 32
	k.mu.Lock()
	c, there := k.all[sha256]
	k.mu.Unlock()
	if there {
		return c, nil
	}
	row, err := k.store.version(ctx, assetID, sha256)
	if err != nil {
		return c, err
	}
	c = contents{Kind: row.Kind, Entries: countsOf(row.Categories), List: row.Categories}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) >= most {
		clear(k.all)
	}
	k.all[sha256] = c
	return c, nil
}

func countsOf(categories []dat.Category) map[string]int {
	out := make(map[string]int, len(categories))
	for _, c := range categories {
		out[c.Name] = c.Entries
	}
	return out
}

// newest gives by file name what the version holds that nodes shall hold; files that were never fetched are absent.
func (s *service) newest(ctx context.Context) (map[string]contents, error) {
	rows, err := s.store.all(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]contents{}
	for _, row := range rows {
		if row.Version == nil || row.File == fileMMDB {
			continue
		}
		if out[row.Name], err = s.known.of(ctx, row.ID, *row.Version); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Codes of tokens that flows cannot use.
const (
	codeCategory = "geo_category_missing"
	codeFile     = "geo_file_missing"
	codeBad      = "geo_token_bad"
)

// validated says of tokens whether the files have them.
func (s *service) validated(ctx context.Context, tokens []string) (Validated, error) {
	out := Validated{Items: make([]ValidatedToken, len(tokens))}
	files, err := s.newest(ctx)
	if err != nil {
		return out, err
	}
	for i, text := range tokens {
		one := ValidatedToken{Token: text, Suggestions: []string{}}
		t, ok := parseToken(text)
		file, there := files[t.File]
		switch {
		case !ok:
			one.Code = codeBad
		case !there:
			one.Code = codeFile
		case file.Entries[t.Category] == 0:
			one.Code = codeCategory
			one.Suggestions = suggestions(t, file)
		default:
			one.OK = true
		}
		out.Items[i] = one
	}
	return out, nil
}

// suggestions are the categories that are most like one that is not there.
func suggestions(t token, file contents) []string {
	const most, farthest = 5, 3
	type near struct {
		name     string
		distance int
	}
	var all []near
	for name := range file.Entries {
		d := distance(t.Category, name)
		if d <= farthest || strings.HasPrefix(name, t.Category) || strings.Contains(name, "-"+t.Category) {
			all = append(all, near{name, d})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	out := []string{}
	for _, one := range all[:min(most, len(all))] {
		t.Category = one.name
		out = append(out, t.text())
	}
	return out
}

// distance is how many letters must change, come or go to turn one text into the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// completions gives categories that begin with a text, then those that contain it, each by name.
func (s *service) completions(ctx context.Context, file, text string, limit int) (Completions, error) {
	out := Completions{Items: []Completion{}}
	if file == fileGeoIP || file == fileGeosite {
		file += extension
	}
	files, err := s.newest(ctx)
	if err != nil {
		return out, err
	}
	text = strings.ToLower(strings.TrimSpace(text))
	text, not := strings.CutPrefix(text, "!")
	var begin, contain []string
	for name := range files[file].Entries {
		switch {
		case strings.HasPrefix(name, text):
			begin = append(begin, name)
		case strings.Contains(name, text):
			contain = append(contain, name)
		}
	}
	slices.Sort(begin)
	slices.Sort(contain)
	for _, name := range append(begin, contain...) {
		if len(out.Items) == limit {
			break
		}
		t := token{File: file, Category: name, Not: not && files[file].Kind == string(dat.Net)}
		out.Items = append(out.Items, Completion{Token: t.text(), Entries: files[file].Entries[name]})
	}
	return out, nil
}
