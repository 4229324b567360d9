package lookup

import (
	"errors"
	"slices"
	"sync"
	"time"
)

const (
	silencesBefore = 3 // in a row, before a server is left alone
	firstSilence   = 30 * time.Second
	longestSilence = 10 * time.Minute
)

// silences remembers which servers do not answer, so that nobody waits for them again and again: after three silences
// in a row a server is left alone for half a minute, then for twice as long each time.
type silences struct {
	mu      sync.Mutex
	servers map[string]*silence
}

type silence struct {
	inARow int
	pause  time.Duration
	until  time.Time
}

// note takes how a question to a server ended.
func (s *silences) note(server string, met error, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !errors.Is(met, ErrSilent) {
		delete(s.servers, server)
		return
	}
	if s.servers == nil {
		s.servers = map[string]*silence{}
	}
	at := s.servers[server]
	if at == nil {
		at = &silence{pause: firstSilence}
		s.servers[server] = at
	}
	if at.inARow++; at.inARow >= silencesBefore {
		at.until = now.Add(at.pause)
		at.pause = min(2*at.pause, longestSilence)
	}
}

func (s *silences) quiet(server string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.servers[server]
	return at != nil && now.Before(at.until)
}

// Quiet tells whether a server has been silent so often that it is not worth waiting for now.
func (r *Resolver) Quiet(server string) bool {
	return r.silent.quiet(server, time.Now()) //nolint:forbidigo // waits for the network are times of the machine
}

// loudFirst puts servers that are left alone behind the others.
func (r *Resolver) loudFirst(servers []string) []string {
	sorted := slices.Clone(servers)
	slices.SortStableFunc(sorted, func(a, b string) int {
		switch quietA, quietB := r.Quiet(a), r.Quiet(b); {
		case quietA == quietB:
			return 0
		case quietA:
			return 1
		}
		return -1
	})
	return sorted
}
