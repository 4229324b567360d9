package ingest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"
)

// Rows writes PostgreSQL's binary COPY form by hand: it is what a panel does most, and a reflecting encoder would cost
// more than the database. Each row begins with Begin and has as many values as the columns of the COPY statement.
type Rows struct {
	columns uint16
	text    []byte
}

const copyHeader = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"

// NewRows makes room for about so many bytes.
func NewRows(columns uint16, size int) *Rows {
	r := &Rows{columns: columns, text: make([]byte, 0, len(copyHeader)+2+size)}
	r.text = append(r.text, copyHeader...)
	return r
}

// Begin starts a row.
func (r *Rows) Begin() { r.text = binary.BigEndian.AppendUint16(r.text, r.columns) }

// UUID adds a value of type uuid.
func (r *Rows) UUID(id [16]byte) {
	r.text = append(binary.BigEndian.AppendUint32(r.text, 16), id[:]...)
}

// Int adds a value of type bigint.
func (r *Rows) Int(n int64) {
	r.text = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(r.text, 8), uint64(n)) //nolint:gosec // the same bits
}

// Float adds a value of type double precision.
func (r *Rows) Float(f float64) {
	r.text = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(r.text, 8), math.Float64bits(f))
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Time adds a value of type timestamptz.
func (r *Rows) Time(at time.Time) { r.Int(at.Sub(epoch).Microseconds()) }

// Text adds a value of type text.
func (r *Rows) Text(s string) {
	r.text = append(binary.BigEndian.AppendUint32(r.text, uint32(len(s))), s...) //nolint:gosec // bodies are at most 1 MiB
}

// Bool adds a value of type boolean.
func (r *Rows) Bool(b bool) {
	var bit byte
	if b {
		bit = 1
	}
	r.text = append(binary.BigEndian.AppendUint32(r.text, 1), bit)
}

// Null adds no value.
func (r *Rows) Null() { r.text = binary.BigEndian.AppendUint32(r.text, 0xffffffff) }

// JSON adds a value of type jsonb, or none for what jsonb cannot hold.
func (r *Rows) JSON(value any) {
	text, err := json.Marshal(value)
	if err != nil || bytes.Contains(text, []byte(`\u0000`)) {
		r.Null()
		return
	}
	r.text = binary.BigEndian.AppendUint32(r.text, uint32(len(text)+1)) //nolint:gosec // bodies are at most 1 MiB
	r.text = append(append(r.text, 1), text...)                         // jsonb's version byte and the text
}

// Bytes ends the rows and gives them.
func (r *Rows) Bytes() []byte { return binary.BigEndian.AppendUint16(r.text, 0xffff) }
