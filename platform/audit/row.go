package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/uptrace/bun"
)

// Row is an entry as it is stored. Seq and the hashes are empty until it is sealed.
type Row struct {
	bun.BaseModel `bun:"table:journal"`

	ID         string    `bun:"id,pk"`
	At         time.Time `bun:"at"`
	ActorKind  string    `bun:"actor_kind"`
	ActorID    string    `bun:"actor_id"`
	ActorName  string    `bun:"actor_name"`
	Action     string    `bun:"action"`
	ObjectType string    `bun:"object_type"`
	ObjectID   string    `bun:"object_id"`
	ObjectName string    `bun:"object_name"`
	Result     string    `bun:"result"`
	IP         string    `bun:"ip"`
	UserAgent  string    `bun:"user_agent"`
	RequestID  string    `bun:"request_id"`
	Changes    string    `bun:"changes"`
	Count      int       `bun:"count"`
	Mark       []byte    `bun:"mark"`
	Writer     string    `bun:"writer"`
	Number     int64     `bun:"number"`
	Seq        int64     `bun:"seq,nullzero"`
	HashPrev   []byte    `bun:"hash_prev"`
	Hash       []byte    `bun:"hash"`
}

func (r Row) cleaned() Row {
	for _, text := range []*string{
		&r.ActorID, &r.ActorName, &r.Action, &r.ObjectType, &r.ObjectID, &r.ObjectName, &r.IP, &r.UserAgent,
		&r.RequestID, &r.Changes,
	} {
		*text = plain(*text)
	}
	return r
}

// content is the entry in bytes that no two different entries share: every field with its length. The number stands at
// the end, because entries of older panels have none.
func (r Row) content() []byte {
	out := binary.BigEndian.AppendUint64(make([]byte, 0, 512), uint64(r.At.UnixMicro()))
	out = binary.BigEndian.AppendUint64(out, uint64(r.Count))
	for _, text := range []string{
		r.ID, r.ActorKind, r.ActorID, r.ActorName, r.Action, r.ObjectType, r.ObjectID, r.ObjectName,
		r.Result, r.IP, r.UserAgent, r.RequestID, r.Changes,
	} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(text)))
		out = append(out, text...)
	}
	if r.Number == 0 {
		return out
	}
	return binary.BigEndian.AppendUint64(append(out, r.Writer...), uint64(r.Number))
}

// markWith proves the entry alone, with its number; it protects an entry until it is sealed.
func (r Row) markWith(key []byte) []byte { return keyed(key, "entry", r.content()) }

// hashWith proves the entry in its place: after the given hash, at the given number.
func (r Row) hashWith(key, previous []byte, seq int64) []byte {
	place := binary.BigEndian.AppendUint64(append([]byte{}, previous...), uint64(seq))
	return keyed(key, "link", place, r.Mark, r.content())
}

// keyed separates its uses by a word, so that one kind of proof never passes as another.
func keyed(key []byte, word string, parts ...[]byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("panel journal " + word + "\n"))
	for _, part := range parts {
		mac.Write(part)
	}
	return mac.Sum(nil)
}
