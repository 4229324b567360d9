package assistant

import (
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"

	"panel/platform/database"
	"panel/platform/entitlement"
	"panel/platform/paneltest"
)

type object = map[string]any

// The manifest keeps the rules that hold for every module. It looks at all goroutines, so it runs alone.
func TestModule(t *testing.T) { //nolint:paralleltest // looks at the goroutines of the process
	paneltest.Check(t, Module())
}

func question(text string) object { return object{"text": text, "language": "en", "page": "/"} }

// user may ask, and see nothing else.
func user(p *paneltest.Panel) *paneltest.Client { return p.As("assistant.use") }

// An answer comes with what was read for it; what the caller may not see is said with the permission that is missing.
func TestAnAnswerSaysWhatWasReadAndWhatMayNotBe(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	var told Question
	user(p).Post(path+"/questions", question("Who changed the port yesterday?")).Is(http.StatusCreated).JSON(&told)
	require.Equal(t, answered, told.State)
	require.Equal(t, builtIn, told.Engine)
	require.Len(t, told.Answer.Read, 1)
	require.False(t, told.Answer.Read[0].OK)
	require.Equal(t, []string{"audit.view"}, told.Answer.Read[0].Missing)
	require.Contains(t, told.Answer.Paragraphs[0].Text, "audit.view")
	p.As("assistant.use", "audit.view").Post(path+"/questions", question("Who changed the port yesterday?")).
		Is(http.StatusCreated).JSON(&told)
	require.True(t, told.Answer.Read[0].OK)
	require.Contains(t, told.Answer.Paragraphs[0].Text, "Nobody")
}

// A panel without a module answers what the others know, and says what is not there.
func TestWhatThePanelDoesNotHaveIsSaid(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	var told Question
	p.Admin().Post(path+"/questions", question("Which nodes are offline?")).Is(http.StatusCreated).JSON(&told)
	require.Contains(t, told.Answer.Paragraphs[0].Text, "no such part")
}

// History belongs to its caller alone: others, whatever they may do, find nothing.
func TestTheHistoryIsTheAskersOwn(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	own, other := user(p), p.Admin()
	first := own.Post(path+"/questions", question("Which version?")).Is(http.StatusCreated).Text("id")
	own.Post(path+"/questions", question("Is the automation stopped?")).Is(http.StatusCreated)
	var page struct {
		Items      []Question
		Total      int
		NextCursor *string `json:"next_cursor"`
	}
	own.Get(path + "/questions?limit=1").Is(http.StatusOK).JSON(&page)
	require.Equal(t, 2, page.Total)
	require.Equal(t, "Is the automation stopped?", page.Items[0].Text, "the newest first")
	own.Get(path + "/questions?limit=1&cursor=" + *page.NextCursor).Is(http.StatusOK).JSON(&page)
	require.Equal(t, first, page.Items[0].ID)
	other.Get(path + "/questions").Is(http.StatusOK).JSON(&page)
	require.Zero(t, page.Total)
	other.Get(path+"/questions/"+first).Refused(http.StatusNotFound, "not_found")
	other.Delete(path+"/questions/"+first).Refused(http.StatusNotFound, "not_found")
	own.Get(path + "/questions/" + first).Is(http.StatusOK)
	own.Delete(path + "/questions/" + first).Is(http.StatusNoContent)
	own.Get(path+"/questions/"+first).Refused(http.StatusNotFound, "not_found")
	other.Delete(path + "/questions").Is(http.StatusNoContent)
	own.Get(path + "/questions").Is(http.StatusOK).JSON(&page)
	require.Equal(t, 1, page.Total, "one deletes his own alone")
	own.Delete(path + "/questions").Is(http.StatusNoContent)
	own.Get(path + "/questions").Is(http.StatusOK).JSON(&page)
	require.Zero(t, page.Total)
}

// A token that somebody types into a question is not kept.
func TestSecretsInQuestionsAreNotKept(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	const token = "123456789:AAF-canaryCanaryCanaryCanary12345678"
	asked := user(p).Post(path+"/questions", question("Is "+token+" right?")).Is(http.StatusCreated)
	require.NotContains(t, string(asked.Body), "canary")
	var stored string
	require.NoError(t, p.DB.NewRaw("select text || answer::text from assistant_questions").Scan(t.Context(), &stored))
	require.NotContains(t, stored, "canary")
}

// One person may ask so often and no more; others are not held up by it.
func TestAskingIsPacedForEachPerson(t *testing.T) {
	t.Parallel()
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clockwork.NewFakeClockAt(time.Now())))
	busy := user(p)
	for range asking.Burst {
		busy.Post(path+"/questions", question("help")).Is(http.StatusCreated)
	}
	refused := busy.Post(path+"/questions", question("help")).Refused(http.StatusTooManyRequests, "throttled")
	require.NotEmpty(t, refused.Header.Get("Retry-After"))
	user(p).Post(path+"/questions", question("help")).Is(http.StatusCreated)
}

// Read-only mode refuses questions, because they are kept; the sheet says so and the history stays readable
// (domain decision 2).
func TestReadOnlyModeRefusesQuestions(t *testing.T) {
	t.Parallel()
	degraded := entitlement.Fixed{State: entitlement.Degraded, Reason: "expired"}
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.License(degraded))
	u := user(p)
	u.Post(path+"/questions", question("help")).Refused(http.StatusForbidden, "license_read_only")
	require.Equal(t, true, u.Get(path).Is(http.StatusOK).Value("read_only"))
	u.Get(path + "/questions").Is(http.StatusOK)
	u.Post(path+"/helper", object{"language": "en"}).Refused(http.StatusForbidden, "license_read_only")
}

// The state tells what can be asked on a page, in both languages.
func TestTheStateSuggestsQuestionsOfThePage(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	var state State
	user(p).Get(path + "?page=/flows/x&language=ru").Is(http.StatusOK).JSON(&state)
	require.Contains(t, state.Suggestions[0], "поток")
	require.True(t, state.Available)
	require.False(t, state.ReadOnly)
	require.Equal(t, 90, state.KeepDays)
	p.As("nodes.view").Get(path).Refused(http.StatusForbidden, "permission_denied")
}

// Old questions go, with what they proposed.
func TestOldQuestionsGo(t *testing.T) {
	t.Parallel()
	rule := Module().Tidy[0]
	require.Equal(t, "assistant_questions", rule.Table)
	require.Equal(t, keptFor, rule.Age)
}

// propose makes the caller ask for a change; it gives the proposal.
func propose(t *testing.T, who *paneltest.Client) Proposal {
	t.Helper()
	var told Question
	who.Post(path+"/questions", question("Stop the automation")).Is(http.StatusCreated).JSON(&told)
	require.Len(t, told.Answer.Proposals, 1)
	return told.Answer.Proposals[0]
}

// A proposal changes nothing: it is confirmed once, by who asked alone, and the request is for the browser to send. The
// journal tells all three (domain 4.17: assistant.proposed, confirmed, rejected).
func TestAProposalIsConfirmedOnceByItsCaller(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	u := user(p)
	one := propose(t, u)
	require.Equal(t, open, one.State)
	require.Equal(t, "POST", one.Request.Method)
	require.Equal(t, "/api/v1/system/automation/stop", one.Request.Path)
	require.Equal(t, "settings.manage", one.Needs)
	at := path + "/proposals/" + one.ID
	p.Admin().Get(at).Refused(http.StatusNotFound, "not_found")
	p.Admin().Post(at+"/confirm", nil).Refused(http.StatusNotFound, "not_found")
	require.Equal(t, confirmed, u.Post(at+"/confirm", nil).Is(http.StatusOK).Text("state"))
	u.Post(at+"/confirm", nil).Refused(http.StatusConflict, "proposal_settled")
	u.Post(at+"/reject", nil).Refused(http.StatusConflict, "proposal_settled")
	require.Equal(t, confirmed, u.Get(at).Is(http.StatusOK).Text("state"))
	require.Equal(t, []string{kindProposed, kindConfirmed}, p.Recorded(objectProposal, one.ID))
	require.Equal(t, false, p.Admin().Get("/api/v1/system/automation").Is(http.StatusOK).Value("stopped"),
		"confirming does nothing by itself")
	u.Post(one.Request.Path, one.Request.Body).Refused(http.StatusForbidden, "permission_denied")
	second := propose(t, u)
	u.Post(path+"/proposals/"+second.ID+"/reject", nil).Is(http.StatusOK)
	require.Equal(t, []string{kindProposed, kindRejected}, p.Recorded(objectProposal, second.ID))
}

// Of twenty that confirm at once one succeeds.
func TestConfirmingAtOnceSucceedsOnce(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	u := user(p)
	at := path + "/proposals/" + propose(t, u).ID + "/confirm"
	done := make(chan int, 20)
	for range cap(done) {
		go func() { done <- u.Post(at, nil).Status }()
	}
	won := 0
	for range cap(done) {
		if <-done == http.StatusOK {
			won++
		}
	}
	require.Equal(t, 1, won)
}

// What a proposal was made of changes, so that its time ends.
func TestAProposalExpires(t *testing.T) {
	t.Parallel()
	clock := clockwork.NewFakeClockAt(time.Now())
	p := paneltest.Start(t, paneltest.Modules(Module()), paneltest.Clock(clock))
	u := user(p)
	at := path + "/proposals/" + propose(t, u).ID
	clock.Advance(openFor)
	require.Equal(t, expired, u.Get(at).Is(http.StatusOK).Text("state"))
	u.Post(at+"/confirm", nil).Refused(http.StatusConflict, "proposal_settled")
	u.Get(path+"/proposals/"+database.NewID()).Refused(http.StatusNotFound, "not_found")
}

// The assistant is driven by the panel's own screen alone: its operations stand in no document.
func TestTheAssistantStandsInNoDocument(t *testing.T) {
	t.Parallel()
	described, err := os.ReadFile("../../ui/openapi.json")
	require.NoError(t, err)
	require.NotContains(t, strings.ToLower(string(described)), "assistant")
	err = filepath.WalkDir("../../docs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		require.NotContains(t, strings.ToLower(string(text)), "assistant", name)
		return err
	})
	require.NoError(t, err)
	hidden, err := os.ReadFile("../../ui/hidden.json")
	require.NoError(t, err)
	require.Contains(t, string(hidden), path+"/questions")
}
