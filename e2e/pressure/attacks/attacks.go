// Package attacks is what strangers may send to a panel on many connections at once. Tests and measurements use the
// same list.
package attacks

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"strings"
	"time"
)

// Attack is one thing that a stranger may send on many connections at once.
type Attack struct {
	Name string
	Send func(conn net.Conn, number int) // until it is refused, or has nothing more to send
}

const (
	megabyte = 1 << 20
	endless  = 4 * megabyte // of a body without an end; the panel must have hung up long before
)

// HoldFor is how long an attack holds a connection on which it is silent.
const HoldFor = 2 * time.Second

// All gives every attack. The list grows: whatever was found to cost the panel more than it costs its sender stands
// here for ever.
func All() []Attack {
	return []Attack{
		{"names of a megabyte", posts(signIn, same(credentials(strings.Repeat("n", megabyte))))},
		{
			"the largest name",
			posts(signIn, func(i int) string { return credentials(fmt.Sprint(i) + strings.Repeat("n", 4000)) }),
		},
		{"wrong passwords", posts(signIn, func(i int) string { return credentials(fmt.Sprint("user", i)) })},
		{"100,000 unknown fields", posts(signIn, same(unknownFields(100_000)))},
		{"the most unknown fields", posts(signIn, same(unknownFields(300)))},
		{"deep nesting", posts(signIn, same(strings.Repeat(`{"a":`, 700)))},
		{
			"second factors",
			posts(
				"/api/v1/auth/second-factor",
				func(i int) string { return filled(`{"challenge":"%s","code":"1"}`, i, 4096) },
			),
		},
		{
			"first administrators",
			posts(
				"/api/v1/setup/admin",
				func(i int) string { return filled(`{"username":"%s","password":"12345678"}`, i, 4096) },
			),
		},
		{
			"ends of the installation",
			posts("/api/v1/setup/finish", func(i int) string { return filled(`{"x":"%s"}`, i, 4096) }),
		},
		{"enrolments", posts("/install/enroll", func(i int) string { return filled(`{"token":"%s"}`, i, 16<<10) })},
		{"enrolments that inflate", compressed("/install/enroll")},
		{"measurements that inflate", compressed("/agent/v1/metrics")},
		{"streams of agents that nobody enrolled", streams},
		{"executables that nobody reads", unread("/install/agent/linux/amd64")},
		{"bodies without an end", chunked(signIn)},
		{"bodies without an end for what is closed", chunked("/api/v1/accounts")},
		{"garbage tokens", garbage},
		{"subscriptions that nobody has", gets("/s/")},
		{"installers", gets("/install/agent.sh?x=")},
		{"pages", gets("/flows/")},
		{"forms", forms},
		{"large headers", largeHeaders},
		{"headers without an end", holds("GET /api/v1/auth/me HTTP/1.1\r\nHost: panel\r\nX-Slow: ")},
		{"bodies that do not come", holds(head(signIn, "", 4096) + "{")},
		{"large bodies that do not come", holds(head("/api/v1/accounts", "", megabyte) + "{")},
		{"silence", holds("")},
		{"answers that nobody reads", unread("/")},
	}
}

const signIn = "/api/v1/auth/login"

func credentials(name string) string {
	return `{"username":"` + name + `","password":"not the right one"}`
}

func unknownFields(count int) string {
	var text strings.Builder
	text.WriteString(`{"f":1`)
	for i := range count {
		fmt.Fprintf(&text, `,"f%d":1`, i)
	}
	return text.String() + "}"
}

// same is one body for all connections, so that the attack costs the attacker little.
func same(body string) func(int) string { return func(int) string { return body } }

// filled is a body of exactly so many bytes.
func filled(form string, number, size int) string {
	text := fmt.Sprint(number)
	return fmt.Sprintf(form, text+strings.Repeat("x", size-len(form)+len("%s")-len(text)))
}

func head(path, token string, length int) string {
	framing := fmt.Sprint("Content-Length: ", length)
	if length < 0 {
		framing = "Transfer-Encoding: chunked"
	}
	return "POST " + path + " HTTP/1.1\r\nHost: panel\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
		token + "\r\n" + framing + "\r\n\r\n"
}

// posts sends a whole body and takes the answer.
func posts(path string, body func(number int) string) func(net.Conn, int) {
	return func(conn net.Conn, number int) {
		text := body(number)
		writes(conn, head(path, "", len(text)), text)
	}
}

func gets(path string) func(net.Conn, int) {
	return func(conn net.Conn, number int) {
		writes(conn, fmt.Sprintf("GET %s%d HTTP/1.1\r\nHost: panel\r\n\r\n", path, number))
	}
}

// listen takes the beginning of the answer.
func listen(conn net.Conn) { _, _ = conn.Read(make([]byte, 4096)) }

func compressed(path string) func(net.Conn, int) {
	var small bytes.Buffer
	into := gzip.NewWriter(&small)
	_, _ = into.Write([]byte(`{"token":"` + strings.Repeat("x", 8*megabyte) + `"}`)) // memory takes everything
	_ = into.Close()
	start := strings.Replace(head(path, "", small.Len()), "\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n", 1)
	return func(conn net.Conn, _ int) { writes(conn, start, small.String()) }
}

func chunked(path string) func(net.Conn, int) {
	const piece = 32 << 10
	chunk := fmt.Sprintf("%x\r\n%s\r\n", piece, strings.Repeat("x", piece))
	return func(conn net.Conn, _ int) {
		_, err := io.WriteString(conn, head(path, "", -1))
		for sent := 0; err == nil && sent < endless; sent += piece {
			_, err = io.WriteString(conn, chunk)
		}
	}
}

var large = strings.Repeat("x", megabyte)

func garbage(conn net.Conn, number int) {
	writes(conn, head("/api/v1/accounts", fmt.Sprint("ps_", number), megabyte), large)
}

func forms(conn net.Conn, _ int) {
	const before, after = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n", "\r\n--b--\r\n"
	start := head(signIn, "", len(before)+megabyte+len(after))
	writes(conn, strings.Replace(start, "application/json", "multipart/form-data; boundary=b", 1), before, large, after)
}

func largeHeaders(conn net.Conn, _ int) {
	writes(conn, "GET / HTTP/1.1\r\nHost: panel\r\nX-Large: ", large, "\r\n\r\n")
}

// writes sends one piece after the other and takes the answer.
func writes(conn net.Conn, pieces ...string) {
	for _, piece := range pieces {
		if _, err := io.WriteString(conn, piece); err != nil {
			return
		}
	}
	listen(conn)
}

// holds sends the beginning of a request and keeps the connection.
func holds(beginning string) func(net.Conn, int) {
	return func(conn net.Conn, _ int) {
		if _, err := io.WriteString(conn, beginning); err == nil {
			_ = conn.SetReadDeadline(time.Now().Add(HoldFor))
			listen(conn)
		}
	}
}

// unread asks for much at once and reads none of it.
func unread(path string) func(net.Conn, int) {
	asked := strings.Repeat("GET "+path+" HTTP/1.1\r\nHost: panel\r\n\r\n", 200)
	return func(conn net.Conn, _ int) {
		if _, err := io.WriteString(conn, asked); err == nil {
			<-time.After(HoldFor)
		}
	}
}

// streams asks for the WebSocket of an agent with a token of the right form, and sends frames without waiting for it.
func streams(conn net.Conn, number int) {
	upgrade := fmt.Sprintf("GET /agent/v1/stream HTTP/1.1\r\nHost: panel\r\nAuthorization: Bearer pna_%043d\r\n"+
		"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", number)
	frame := "\x82\xff\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00" // of a megabyte, masked with zeros
	writes(conn, upgrade, frame, large)
}
