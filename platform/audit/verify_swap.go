package audit

import (
	"crypto/hmac"
	"fmt"
)

// mostCompared bounds the search for pairs, which is quadratic.
const mostCompared = 200

// sortBroken tells entries that took each other's place from edited ones.
func (v *verifier) sortBroken() {
	partner := v.partners()
	for i, row := range v.broken {
		if j, found := partner[i]; found {
			other := v.broken[j]
			v.note(Swapped, row.Seq, row.Seq, row.ID, fmt.Sprintf("holds what was sealed as entry %d", other.Seq))
			continue
		}
		v.note(Edited, row.Seq, row.Seq, row.ID, "the entry is not what was sealed")
	}
}

func (v *verifier) partners() map[int]int {
	partner := map[int]int{}
	for i := range min(len(v.broken), mostCompared) {
		for j := range i {
			if v.traded(v.broken[i], v.broken[j]) {
				partner[i], partner[j] = j, i
			}
		}
	}
	return partner
}

// traded tells whether the contents fit when the two change places back, whatever part
// of the rows was exchanged: everything, all but the links, all but links and ids, or
// all but those and numbers.
func (v *verifier) traded(a, b Row) bool {
	return v.fits(a, b) && v.fits(b, a)
}

func (v *verifier) fits(content, place Row) bool {
	if v.proves(content, content, place.Seq) || v.proves(content, place, place.Seq) {
		return true
	}
	renamed := content
	renamed.ID = place.ID
	if v.proves(renamed, place, place.Seq) {
		return true
	}
	renamed.Writer, renamed.Number = place.Writer, place.Number
	if v.proves(renamed, place, place.Seq) {
		return true
	}
	renamed.Mark = place.Mark
	return v.proves(renamed, place, place.Seq)
}

// proves asks whether the content, linked as given, was sealed under the number.
func (v *verifier) proves(content, link Row, seq int64) bool {
	return hmac.Equal(link.Hash, content.hashWith(v.key, link.HashPrev, seq))
}
