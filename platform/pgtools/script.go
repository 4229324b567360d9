package pgtools

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrCutOff says that a script ended in the middle of the rows of a table.
var ErrCutOff = errors.New("the dump ends in the middle of a table")

const scriptBuffer = 256 << 10

// Script runs what pg_restore writes as text, on a session and in the transaction that it is in: statements as they
// are, rows as the stream that they are. It is what psql does, without looking at each row. An error says what the
// server said and no content of a row. Errors: ErrCutOff, *pgconn.PgError, those of the reader.
func Script(ctx context.Context, session *pgconn.PgConn, script io.Reader) error {
	s := &scripted{session: session, in: bufio.NewReaderSize(script, scriptBuffer)}
	for {
		line, err := s.in.ReadString('\n')
		if taken := s.take(ctx, line); taken != nil {
			return taken
		}
		if errors.Is(err, io.EOF) {
			return s.flush(ctx)
		}
		if err != nil {
			return err
		}
	}
}

type scripted struct {
	session *pgconn.PgConn
	in      *bufio.Reader
	waiting strings.Builder // statements that were not sent yet
	last    string          // their last line that is no comment
}

// take handles one line outside of rows.
func (s *scripted) take(ctx context.Context, line string) error {
	text := strings.TrimSpace(line)
	between := s.last == "" || strings.HasSuffix(s.last, ";")
	switch {
	case between && (strings.HasPrefix(text, `\restrict `) || strings.HasPrefix(text, `\unrestrict `)):
		return nil // they keep psql from instructions, of which this knows none
	case between && strings.HasPrefix(text, "COPY ") && strings.HasSuffix(text, " FROM stdin;"):
		return s.rows(ctx, text)
	}
	s.waiting.WriteString(line)
	if text != "" && !strings.HasPrefix(text, "--") {
		s.last = text
	}
	return nil
}

func (s *scripted) flush(ctx context.Context) error {
	if s.waiting.Len() == 0 {
		return nil
	}
	_, err := s.session.Exec(ctx, s.waiting.String()).ReadAll()
	s.waiting.Reset()
	s.last = ""
	return refused(err)
}

func (s *scripted) rows(ctx context.Context, statement string) error {
	if err := s.flush(ctx); err != nil {
		return err
	}
	rows := &rows{in: s.in, fresh: true}
	_, err := s.session.CopyFrom(ctx, rows, statement)
	if rows.failed != nil {
		return rows.failed
	}
	return refused(err)
}

// refused leaves out of an error what may hold content of a row.
func refused(err error) error {
	const badValue = "22" // the class of errors that repeat it
	var said *pgconn.PgError
	switch {
	case !errors.As(err, &said):
		return err
	case strings.HasPrefix(said.Code, badValue):
		return fmt.Errorf("the database refused a value of the dump (%s)", said.Code)
	}
	return fmt.Errorf("the database refused a statement of the dump (%s): %s", said.Code, said.Message)
}

// rows reads the rows of a table, up to the line that ends them.
type rows struct {
	in     *bufio.Reader
	left   []byte // of a line that did not fit
	fresh  bool   // the next byte begins a line
	ended  bool
	failed error
}

// Read gives whole lines as far as they fit.
func (r *rows) Read(into []byte) (n int, err error) {
	for n < len(into) {
		if len(r.left) == 0 {
			if r.ended || r.failed != nil || n > 0 && r.in.Buffered() == 0 {
				break
			}
			r.next()
			continue
		}
		moved := copy(into[n:], r.left)
		r.left, n = r.left[moved:], n+moved
	}
	switch {
	case n > 0:
		return n, nil
	case r.failed != nil:
		return 0, r.failed
	}
	return 0, io.EOF
}

func (r *rows) next() {
	line, err := r.in.ReadSlice('\n')
	if r.fresh && string(line) == "\\.\n" {
		r.ended = true
		return
	}
	r.left, r.fresh = line, err == nil
	switch {
	case errors.Is(err, io.EOF):
		r.left, r.failed = nil, ErrCutOff
	case err != nil && !errors.Is(err, bufio.ErrBufferFull):
		r.left, r.failed = nil, err
	}
}
