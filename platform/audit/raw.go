package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"time"
)

// raw is an entry in the bytes in which the database sends it. A verification reads millions of them, and a Row would
// cost twenty objects each; the bytes belong to the connection and are good until the next entry.
type raw struct {
	at, seq              int64 // at in microseconds since 1970
	count                uint64
	id                   [36]byte
	texts                [13][]byte // in the order of content, the id first
	mark, previous, hash []byte
	writer               []byte
	number               int64 // 0 for an entry from before numbers
}

// columns in the order in which read expects them.
const columns = `id, actor_kind, actor_id, actor_name, action, object_type, object_id, object_name, result, ip, user_agent,
	request_id, changes, at, count::bigint, mark, coalesce(seq, 0), hash_prev, hash, writer, number`

const (
	columnCount    = 21
	databaseEpoch  = 946_684_800_000_000 // the database counts microseconds since 2000
	uuidBytes      = 16
	numberBytes    = 8
	placeAt        = 13
	placeCount     = 14
	placeMark      = 15
	placeSeq       = 16
	placePrevious  = 17
	placeHash      = 18
	placeWriter    = 19
	placeNumber    = 20
	firstPlainText = 1
	textAction     = 4
)

var errForm = errors.New("the journal's table has another form than this panel knows")

func (r *raw) read(values [][]byte) error {
	if len(values) != columnCount || len(values[0]) != uuidBytes || len(values[placeAt]) != numberBytes ||
		len(values[placeCount]) != numberBytes || len(values[placeSeq]) != numberBytes ||
		len(values[placeNumber]) != numberBytes {
		return errForm
	}
	r.name(values[0])
	r.texts[0] = r.id[:]
	copy(r.texts[1:], values[firstPlainText:placeAt])
	r.at = int64(binary.BigEndian.Uint64(values[placeAt])) + databaseEpoch //nolint:gosec // as the database sends it
	r.count = binary.BigEndian.Uint64(values[placeCount])
	r.seq = int64(binary.BigEndian.Uint64(values[placeSeq])) //nolint:gosec // as the database sends it
	r.mark, r.previous, r.hash = values[placeMark], values[placePrevious], values[placeHash]
	r.writer, r.number = values[placeWriter], int64(binary.BigEndian.Uint64(values[placeNumber])) //nolint:gosec // as sent
	return nil
}

// name writes the id as text.
func (r *raw) name(id []byte) {
	at := 0
	for i, b := range id {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			r.id[at] = '-'
			at++
		}
		hex.Encode(r.id[at:], []byte{b})
		at += 2
	}
}

// row keeps the entry beyond the next one.
func (r *raw) row() Row {
	kept := Row{
		At: time.UnixMicro(r.at).UTC(), Count: int(r.count), Seq: r.seq, //nolint:gosec // as stored
		Writer: string(r.writer), Number: r.number,
		Mark: append([]byte(nil), r.mark...), HashPrev: append([]byte(nil), r.previous...), Hash: append([]byte(nil),
			r.hash...),
	}
	for i, into := range []*string{
		&kept.ID, &kept.ActorKind, &kept.ActorID, &kept.ActorName, &kept.Action, &kept.ObjectType, &kept.ObjectID,
		&kept.ObjectName,
		&kept.Result, &kept.IP, &kept.UserAgent, &kept.RequestID, &kept.Changes,
	} {
		*into = string(r.texts[i])
	}
	return kept
}

// content is the same as a Row's.
func (r *raw) content(into []byte) []byte {
	into = binary.BigEndian.AppendUint64(into, uint64(r.at)) //nolint:gosec // bytes of a number
	into = binary.BigEndian.AppendUint64(into, r.count)
	for _, text := range r.texts {
		into = binary.BigEndian.AppendUint32(into, uint32(len(text))) //nolint:gosec // a text of the database is shorter than 1 GB
		into = append(into, text...)
	}
	if r.number == 0 {
		return into
	}
	return binary.BigEndian.AppendUint64(append(into, r.writer...), uint64(r.number)) //nolint:gosec // bytes of a number
}

// prover computes marks and hashes again and again without making anything new.
type prover struct {
	mac                 hash.Hash
	text, place, result []byte
}

func newProver(key []byte) *prover { return &prover{mac: hmac.New(sha256.New, key)} }

var (
	entryWord = []byte("panel journal entry\n")
	linkWord  = []byte("panel journal link\n")
)

// proves says whether the entry is genuine in its place and whether its mark is.
func (p *prover) proves(r *raw) (link, mark bool) {
	p.text = r.content(p.text[:0])
	p.place = binary.BigEndian.AppendUint64(append(p.place[:0], r.previous...), uint64(r.seq)) //nolint:gosec // bytes of a number
	p.begin(linkWord, p.place, r.mark, p.text)
	link = p.equals(r.hash)
	p.begin(entryWord, p.text, nil, nil)
	return link, p.equals(r.mark)
}

func (p *prover) begin(word, first, second, third []byte) {
	p.mac.Reset()
	for _, part := range [...][]byte{word, first, second, third} {
		p.mac.Write(part)
	}
}

func (p *prover) equals(proof []byte) bool {
	p.result = p.mac.Sum(p.result[:0])
	return hmac.Equal(p.result, proof)
}
