package sites

import (
	"io"
	"sync/atomic"
)

// Flood counts what was taken of those who send too much.
type Flood struct{ taken atomic.Int64 }

// Taken is how many bytes were written to whoever reads; what the system holds on the way counts as well.
func (f *Flood) Taken() int64 { return f.taken.Load() }

const chunk = 64 << 10

// into writes 10 MB, or as much as is taken.
func (f *Flood) into(w io.Writer) {
	block := make([]byte, chunk)
	for range tenMB / chunk {
		n, err := w.Write(block)
		f.taken.Add(int64(n))
		if err != nil {
			return
		}
	}
}
