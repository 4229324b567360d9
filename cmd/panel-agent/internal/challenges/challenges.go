// Package challenges is the part of the agent that answers certificate authorities which ask over HTTP whether a host
// name of the node is ours. It listens only while there is something to answer.
package challenges

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/netutil"

	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "challenges",
	Documents: []agentapi.DocumentName{agentapi.DocumentChallenges},
	Open:      open,
}

func open(env *part.Env) (*part.Live, error) {
	r := &responder{owner: env.Sockets.Owner}
	env.OnRelease(r.release)
	return &part.Live{
		Documents: []documents.Document{{Name: agentapi.DocumentChallenges, Apply: r.apply}},
		Close: func(context.Context, bool) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.stop()
			return nil
		},
	}, nil
}

const (
	readWithin   = 5 * time.Second
	writeWithin  = 10 * time.Second
	mostHeader   = 8 << 10
	mostAtOnce   = 64
	mostPort     = 65535
	mostTextSize = 1024
)

// key is what an answer is found by.
type key struct{ host, token string }

// responder listens while it has answers. The core goes first: when it needs the port, it gets it.
type responder struct {
	owner func(l4, ip string, port int) (agentapi.Socket, bool)

	mu      sync.Mutex
	answers map[key]string
	port    int // that it listens on; 0 = none
	server  *http.Server
}

// apply puts answers in the place of those before. Without any the port is free again.
func (r *responder) apply(ctx context.Context, content json.RawMessage) error {
	var wanted agentapi.Challenges
	if err := json.Unmarshal(content, &wanted); err != nil {
		return documents.Refuse(errors.New("read the answers to authorities: they are no JSON of the expected form"))
	}
	answers, err := index(wanted)
	if err != nil {
		return documents.Refuse(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(answers) == 0 || r.port != wanted.Port {
		r.stop()
	}
	r.answers = answers
	if len(answers) == 0 || r.port != 0 {
		return nil
	}
	return r.listen(ctx, wanted.Port)
}

// tokenForm is base64url, of which tokens are made; so is an answer, which has a dot inside.
var (
	tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,512}$`)
	textForm  = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
)

func index(wanted agentapi.Challenges) (map[key]string, error) {
	answers := make(map[key]string, len(wanted.Answers))
	for _, one := range wanted.Answers {
		if !tokenForm.MatchString(one.Token) || !textForm.MatchString(one.Text) || len(one.Text) > mostTextSize {
			return nil, errors.New("read the answers to authorities: a token or an answer is not of their form")
		}
		answers[key{strings.ToLower(one.Host), one.Token}] = one.Text
	}
	if len(answers) > 0 && (wanted.Port < 1 || wanted.Port > mostPort) {
		return nil, errors.New("read the answers to authorities: the port is none")
	}
	return answers, nil
}

func (r *responder) listen(ctx context.Context, port int) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("", strconv.Itoa(port)))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("answer authorities at port %d of this server: %s", port, r.occupied(port))
	}
	if err != nil {
		return fmt.Errorf("answer authorities at port %d of this server: %w", port, err)
	}
	server := &http.Server{
		Handler: http.HandlerFunc(r.serve), ReadTimeout: readWithin, WriteTimeout: writeWithin, IdleTimeout: readWithin,
		MaxHeaderBytes: mostHeader,
	}
	r.server, r.port = server, port
	go func() { _ = server.Serve(netutil.LimitListener(listener, mostAtOnce)) }()
	return nil
}

func (r *responder) occupied(port int) string {
	if held, found := r.owner("tcp", "0.0.0.0", port); found && held.Process != "" {
		return "the port is in use by " + held.Process
	}
	return "the port is in use"
}

func (r *responder) serve(w http.ResponseWriter, request *http.Request) {
	host := request.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	token, asked := strings.CutPrefix(request.URL.Path, agentapi.ChallengePath)
	r.mu.Lock()
	text, known := r.answers[key{strings.ToLower(host), token}]
	r.mu.Unlock()
	if !asked || !known || request.Method != http.MethodGet {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = io.WriteString(w, text)
}

// release gives the port to the core; authorities are not answered then until the next answers come.
func (r *responder) release(l4 string, port int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l4 == "tcp" && port == r.port {
		r.stop()
	}
}

func (r *responder) stop() {
	if r.server != nil {
		_ = r.server.Close()
	}
	r.server, r.port = nil, 0
}
