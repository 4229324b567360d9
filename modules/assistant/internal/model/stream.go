package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// alive tells of every piece that arrives.
type alive struct {
	io.Reader

	heard func()
}

func (a *alive) Read(into []byte) (int, error) {
	n, err := a.Reader.Read(into)
	if n > 0 {
		a.heard()
	}
	return n, err
}

// events hands on the data of server-sent events, one after the other, until the stream ends.
func events(from io.Reader, each func(data []byte) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4<<10), mostLine)
	for lines.Scan() {
		data, found := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !found {
			continue
		}
		if data = bytes.TrimSpace(data); len(data) == 0 {
			continue
		}
		if err := each(data); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return ErrTooLong
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the answer of the model: %w", err)
	}
	return nil
}
