// Package access says who may call what: permission keys, the access rule of an operation, the caller of a request.
package access

import (
	"slices"
	"strings"
)

// Key is a permission key such as "nodes.view".
type Key string

// All is the single element that means full access (specification, "Administrator account").
const All Key = "*"

// Permission is a key as its module declares it; Summary is shown in the permission matrix.
type Permission struct {
	Key     Key
	Summary string
}

// Family gives the key that opens every key with the same noun, "connection_units.*" for "connection_units.view". What
// is not of the form noun.verb, as "*", has no family but itself.
func (k Key) Family() Key {
	noun, verb, _ := strings.Cut(string(k), ".")
	if noun == "" || noun == string(All) || verb == "" {
		return k
	}
	return Key(noun + ".*")
}

// Set is the permissions that an account holds, as stored: single keys, families, or the one element "*".
type Set []Key

// Has says whether the set opens the key, by itself, by its family or by "*".
func (s Set) Has(key Key) bool {
	return slices.Contains(s, All) || slices.Contains(s, key) || slices.Contains(s, key.Family())
}

// HasAny says whether the set opens one of the keys; no keys ask for nothing.
func (s Set) HasAny(keys []Key) bool {
	return len(keys) == 0 || slices.ContainsFunc(keys, s.Has)
}

// Covers says whether everything in other is also opened by s: the test for "nobody grants what he lacks".
func (s Set) Covers(other Set) bool {
	return !slices.ContainsFunc(other, func(key Key) bool { return !s.holds(key) })
}

// And opens what both sets open. Of two keys that open the same one, the narrower stands in the result.
func (s Set) And(other Set) Set {
	both := Set{}
	for _, sets := range [][2]Set{{s, other}, {other, s}} {
		for _, key := range sets[0] {
			if sets[1].holds(key) && !slices.Contains(both, key) {
				both = append(both, key)
			}
		}
	}
	return both
}

func (s Set) holds(key Key) bool {
	if key == All {
		return slices.Contains(s, All)
	}
	return s.Has(key)
}
