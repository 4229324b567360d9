package subscriptions_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/flows/flowsapi"
	"panel/platform/paneltest"
)

// atOnce asks so many times at the same moment, and counts the answers by their status.
func atOnce(count int, ask func(i int) *paneltest.Answer) map[int]int {
	statuses, begin := make([]int, count), make(chan struct{})
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			<-begin
			statuses[i] = ask(i).Status
		})
	}
	close(begin)
	all.Wait()
	counted := map[int]int{}
	for _, status := range statuses {
		counted[status]++
	}
	return counted
}

// Limits hold for requests that come at the same moment as for those that come one by one: nobody gets more by asking
// with many programs at once.
func TestLimitsHoldForManyAtOnce(t *testing.T) {
	t.Parallel()
	s := setup(t)
	known := atOnce(25, func(i int) *paneltest.Answer {
		return s.ask(anna+"?format="+forms[i%len(forms)], "v2rayNG/1.9", "*/*")
	})
	require.Equal(t, map[int]int{http.StatusOK: 10, http.StatusTooManyRequests: 15}, known, "whatever the form")
	unknown := atOnce(45, func(i int) *paneltest.Answer {
		return s.ask(fmt.Sprintf("/s/UNKNOWN%d", i), "v2rayNG/1.9", "*/*")
	})
	require.Equal(t, map[int]int{http.StatusNotFound: 30, http.StatusTooManyRequests: 15}, unknown)
}

// A browser and the programs behind one address take from one limit: the page is no way around it.
func TestThePageCountsAsTheFormsDo(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for range 5 {
		s.ask(anna, chrome, asksForPages).Is(200)
		s.ask(anna, "v2rayNG/1.9", "*/*").Is(200)
	}
	refused := s.ask(anna, chrome, asksForPages).Refused(429, "throttled")
	require.NotContains(t, string(refused.Body), "fra.example.org")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	require.Equal(t, "no-store", refused.Header.Get("Cache-Control"))
}

// When it cannot be read who holds a token, programs are told of a failure and keep what they have: it is neither an
// unknown token, which would empty them, nor counted against whoever asks. What failed stays in the log.
func TestAFailureIsNotTakenForAnUnknownToken(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for range 40 {
		for _, accept := range []string{"*/*", asksForPages} {
			failed := s.ask("/s/"+broken, chrome, accept)
			require.Equal(t, http.StatusInternalServerError, failed.Status)
			require.NotContains(t, string(failed.Body), "secret-detail")
			require.NotContains(t, string(failed.Body), broken)
			require.Equal(t, "no-store", failed.Header.Get("Cache-Control"))
		}
	}
	s.ask("/s/UNKNOWN", "v2rayNG/1.9", "*/*").Refused(404, "not_found")
	require.Contains(t, s.Scrape(), `panel_subscription_answers_total{answer="unknown"} 1`)
}

// A client that is switched off, extended and switched on again finds its connections when it may use them, and at no
// other time: no answer of before is given again.
func TestAnswersFollowTheStateOfTheClient(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, one := range []struct {
		state string
		found bool
	}{
		{flowsapi.Active, true},
		{"disabled", false},
		{flowsapi.Active, true},
		{flowsapi.Spent, false},
		{flowsapi.Expired, false},
		{flowsapi.Active, true},
	} {
		s.hold(func(held *flowsapi.Subscriber) { held.State = one.state })
		require.Equal(t, one.found, strings.Contains(string(s.ask(anna+"?format=xray", "x", "*/*").Is(200).Body),
			"fra.example.org"), one.state)
	}
}

// What a program calls itself may be of any length and hold anything; it gets links, and nothing of it comes back.
func TestWhatAProgramCallsItselfIsNotEchoed(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, agent := range []string{
		"", "<script>alert(1)</script>", strings.Repeat("x", 3000), "Mozilla/5.0 (compatible; " + strings.Repeat("a;", 500) + ")",
		"v2rayNG/1.9\tTab", "'; drop table clients; --",
	} {
		answer := s.ask(anna, agent, "*/*").Is(200)
		require.Equal(t, "text/plain; charset=utf-8", answer.Header.Get("Content-Type"))
		if agent != "" {
			require.NotContains(t, string(answer.Body), agent)
		}
	}
	s.clock.Advance(time.Minute)
	for _, languages := range []string{
		"<script>", "ru;q=" + strings.Repeat("9", 400), "ru;q=NaN,en", ",,,;;;", strings.Repeat("ru,", 900),
	} {
		shown := s.ask(anna, chrome, asksForPages, "Accept-Language", languages).Is(200)
		require.Regexp(t, `<html lang="(en|ru)">`, string(shown.Body))
	}
}

// What people have asked for by ?format= is what they get, also in a browser, and each form says what it is.
func TestEveryFormSaysWhatItIs(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for form, kind := range map[string]string{
		"links": "text/plain", "xray": "application/json", "sing-box": "application/json", "clash": "text/yaml",
		"stash": "text/yaml",
	} {
		answer := s.ask(anna+"?format="+form, chrome, asksForPages).Is(200)
		require.True(t, strings.HasPrefix(answer.Header.Get("Content-Type"), kind), form)
		require.Contains(t, answer.Header.Get("Content-Disposition"), "attachment", form)
	}
}
