package site

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Marks stand in what is written for what differs from file to file and from minute to minute.
const (
	upwards          = "@@up@@/" // the way to the folder of index.html
	momentOfMachines = "@@data-at-machine@@"
	momentOfPeople   = "@@data-at-people@@"
	markBegins       = "@@"
)

// filling puts in the place of marks what they stand for.
type filling struct {
	up     string
	at     time.Time // of the data
	locale string

	out     []byte
	moments []moment
}

// moment is where a file tells of the moment of its data.
type moment struct {
	from, to int
	mark     string
}

func (f *filling) fill(content []byte) []byte {
	const longer = 256 // than its marks
	f.out = make([]byte, 0, len(content)+longer)
	for {
		at := bytes.Index(content, []byte(markBegins))
		if at < 0 {
			f.out = append(f.out, content...)
			return f.out
		}
		f.out = append(f.out, content[:at]...)
		content = content[at+f.mark(content[at:]):]
	}
}

// mark writes what the mark at the beginning stands for, and says how long it was. What only looks like one stays.
func (f *filling) mark(content []byte) int {
	switch {
	case bytes.HasPrefix(content, []byte(upwards)):
		f.out = append(f.out, f.up...)
		return len(upwards)
	case bytes.HasPrefix(content, []byte(momentOfMachines)):
		return f.moment(momentOfMachines, machine(f.at))
	case bytes.HasPrefix(content, []byte(momentOfPeople)):
		return f.moment(momentOfPeople, wordsOf(f.locale).moment(f.at))
	}
	f.out = append(f.out, content[0])
	return 1
}

func (f *filling) moment(mark, text string) int {
	from := len(f.out)
	f.out = append(f.out, text...)
	f.moments = append(f.moments, moment{from, len(f.out), mark})
	return len(mark)
}

// stable is the digest of what was filled, with the marks of the moment in their places.
func (f *filling) stable() string {
	sum, at := sha256.New(), 0
	for _, one := range f.moments {
		sum.Write(f.out[at:one.from])
		sum.Write([]byte(one.mark))
		at = one.to
	}
	sum.Write(f.out[at:])
	return hex.EncodeToString(sum.Sum(nil))
}
