package dat

import (
	"io"
	"slices"
)

// Change is what became of one category between two files. Added and removed name the first entries alone.
type Change struct {
	Category     string
	AddedCount   int
	RemovedCount int
	Added        []string
	Removed      []string
}

// Compared is one file of a comparison.
type Compared struct {
	Categories []Category
	Source     io.ReaderAt
}

// Difference tells what differs between two files: categories that are only in one, and what changed in those of both,
// at most so many, each with at most so many names of entries. Categories with the same digest are not read.
func Difference(from, to Compared, most, names int) (added, removed []string, changed []Change, cut bool, err error) {
	before := map[string]*Category{}
	for i := range from.Categories {
		before[from.Categories[i].Name] = &from.Categories[i]
	}
	for i := range to.Categories {
		now := &to.Categories[i]
		was := before[now.Name]
		delete(before, now.Name)
		switch {
		case was == nil:
			added = append(added, now.Name)
		case was.Digest == now.Digest && was.Entries == now.Entries:
		case len(changed) >= most:
			cut = true
		default:
			one, err := compare(was, now, from.Source, to.Source, names)
			if err != nil {
				return nil, nil, nil, false, err
			}
			changed = append(changed, one)
		}
	}
	for name := range before {
		removed = append(removed, name)
	}
	slices.Sort(added)
	slices.Sort(removed)
	slices.SortFunc(changed, func(a, b Change) int {
		return (b.AddedCount + b.RemovedCount) - (a.AddedCount + a.RemovedCount)
	})
	return added, removed, changed, cut, nil
}

// compare keeps numbers of 64 bits for the entries of one side and reads both twice.
func compare(was, now *Category, from, to io.ReaderAt, names int) (c Change, err error) {
	c = Change{Category: now.Name, Added: []string{}, Removed: []string{}}
	if c.RemovedCount, err = only(was, now, from, to, names, &c.Removed); err != nil {
		return c, err
	}
	c.AddedCount, err = only(now, was, to, from, names, &c.Added)
	return c, err
}

// only counts and names the entries of a that b has not.
func only(a, b *Category, fileA, fileB io.ReaderAt, names int, named *[]string) (count int, err error) {
	other := make([]uint64, 0, b.Entries)
	err = b.Items(fileB, 0, func(i *Item, _ int64) bool {
		other = append(other, i.hash())
		return true
	})
	if err != nil {
		return 0, err
	}
	slices.Sort(other)
	err = a.Items(fileA, 0, func(i *Item, _ int64) bool {
		if _, there := slices.BinarySearch(other, i.hash()); !there {
			if count++; len(*named) < names {
				*named = append(*named, i.Text())
			}
		}
		return true
	})
	return count, err
}
