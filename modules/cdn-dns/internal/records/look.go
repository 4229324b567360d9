package records

import (
	"context"
	"errors"
	"slices"
	"sync"

	"panel/modules/cdn-dns/internal/lookup"
	"panel/modules/cdn-dns/internal/provider"
)

// Answers of name servers.
const (
	same      = "same"      // as wanted
	different = "different" // something else
	alias     = "alias"     // a CNAME, behind which resolvers look
	nothing   = "empty"
	silent    = "silent"
	refused   = "refused"
)

// Answer is what one name server said about a host name.
type Answer struct {
	Server        string   `json:"server"`
	Authoritative bool     `json:"authoritative" doc:"It holds the zone itself; otherwise it is a public resolver"`
	Values        []string `json:"values"`
	Answer        string   `json:"answer" enum:"same,different,alias,empty,silent,refused"`
}

// ask asks every server of the zone and every public resolver at the same time.
func (e *Engine) ask(ctx context.Context, zoneServers []string, hostname string, want wish) []Answer {
	var answers []Answer
	for _, server := range zoneServers {
		answers = append(answers, Answer{Server: server, Authoritative: true})
	}
	for _, server := range e.Resolver.Public() {
		answers = append(answers, Answer{Server: server})
	}
	var asking sync.WaitGroup
	for i := range answers {
		asking.Go(func() { e.askOne(ctx, &answers[i], hostname, want) })
	}
	asking.Wait()
	return answers
}

func (e *Engine) askOne(ctx context.Context, a *Answer, hostname string, want wish) {
	question := e.Resolver.Recursive
	if a.Authoritative {
		question = e.Resolver.At
	}
	a.Values = []string{}
	if e.Resolver.Quiet(a.Server) {
		a.Answer = silent
		return
	}
	for _, kind := range []string{provider.TypeA, provider.TypeAAAA} {
		values, err := question(ctx, a.Server, hostname, kind)
		if err != nil {
			a.Answer = silent
			if errors.Is(err, lookup.ErrRefused) {
				a.Answer = refused
			}
			return
		}
		a.Values = append(a.Values, values...)
	}
	if len(a.Values) == 0 && a.Authoritative {
		if names, err := question(ctx, a.Server, hostname, provider.TypeCNAME); err == nil && len(names) > 0 {
			a.Values, a.Answer = names, alias
			return
		}
	}
	slices.Sort(a.Values)
	a.Answer = compare(a.Values, want)
}

func compare(values []string, want wish) string {
	switch {
	case len(values) == 0:
		return nothing
	case want.any || slices.Equal(values, want.values()):
		return same
	}
	return different
}

// judge says how a host name stands by what name servers answered. The servers of the zone decide; where none of them
// answers, or the name is an alias, resolvers do. One that does not answer changes nothing.
func judge(answers []Answer, want wish) string {
	var zone, others tally
	for _, a := range answers {
		if a.Authoritative {
			zone.count(a)
		} else {
			others.count(a)
		}
	}
	switch {
	case len(want.records) == 0 && !want.any:
		return Pending
	case zone.same+zone.other+others.same+others.other == 0:
		return Failed
	case zone.same == 0 && zone.other > 0:
		return Mismatch
	case zone.other > 0:
		return Propagating
	case others.other == 0:
		return OK
	case zone.same+others.same > 0:
		return Propagating
	}
	return Mismatch
}

type tally struct{ same, other int }

func (t *tally) count(a Answer) {
	switch a.Answer {
	case same:
		t.same++
	case different, nothing:
		t.other++
	}
}

// seenBy gives what clients get: the answer of the first resolver that gives one, else that of a server of the zone.
func seenBy(answers []Answer) []string {
	seen := []string{}
	for _, a := range answers {
		answered := a.Answer == same || a.Answer == different
		if answered && (!a.Authoritative || len(seen) == 0) {
			seen = a.Values
			if !a.Authoritative {
				break
			}
		}
	}
	return seen
}

// summary is what an event says was seen.
func summary(answers []Answer) []string {
	var seen []string
	for _, a := range answers {
		if a.Answer == different || a.Answer == alias {
			seen = append(seen, a.Values...)
		}
	}
	slices.Sort(seen)
	return slices.Compact(seen)
}
