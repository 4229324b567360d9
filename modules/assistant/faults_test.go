package assistant

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/assistant/internal/model"
	"panel/modules/assistant/modeltest"
	"panel/platform/module"
	"panel/platform/paneltest"
)

// impatient waits for a model only so long.
func impatient(limits model.Limits) module.Module {
	manifest := Module()
	manifest.Attach = func(h *handlers, m *meter) module.Parts {
		h.answering.limits = limits
		return attach(h, m)
	}
	return manifest
}

const isStopped = "Is the automation stopped?"

// A call of the model that was refused stands with its answer, whatever it was called, and in the metrics.
func TestARefusedCallIsShown(t *testing.T) {
	t.Parallel()
	long := "open_10.20.30.40_" + strings.Repeat("x", 100)
	m := modeltest.New(t, modeltest.Names("delete_everything", "{}"), modeltest.Names("node_dies", `{"path":"/"}`),
		modeltest.Names(long, ""), modeltest.Says("I could not."))
	p := connected(t, m, nil)
	told, stream := followed(t, user(p), isStopped)
	require.Equal(t, answered, told.State)
	require.Equal(t, "delete_everything", told.Answer.Refused[0].Tool)
	require.Equal(t, "unknown_tool", told.Answer.Refused[0].Reason)
	require.Equal(t, "node_dies", told.Answer.Refused[1].Tool)
	require.Equal(t, "wrong_arguments", told.Answer.Refused[1].Reason)
	require.LessOrEqual(t, len([]rune(told.Answer.Refused[2].Tool)), 61)
	require.Contains(t, stream, "event: refused\n", "at the moment, and not only at the end")
	require.Contains(t, m.Heard()[1], "there is no such tool")
	require.Contains(t, m.Heard()[2], "the arguments are not those of the tool")
	require.Contains(t, p.Scrape(), "panel_assistant_model_refused_calls_total 3")
	require.Empty(t, told.Answer.Read, "nothing was read for them")
	var stored Question
	user(p).Post(path+"/questions", object{"text": "help", "language": "en", "page": "/", "engine": builtIn}).
		Is(http.StatusCreated).JSON(&stored)
	require.NotNil(t, stored.Answer.Refused, "an empty list, and never null")
}

// The calls stay with the answer of the panel that takes the place of the model's.
func TestRefusedCallsStayWithTheBuiltInAnswer(t *testing.T) {
	t.Parallel()
	told, _ := followed(t, user(connected(t, modeltest.New(t, modeltest.Names("confirm", "{}")), nil)), isStopped)
	require.Equal(t, failTurns, told.Error.Code)
	require.Len(t, told.Answer.Refused, mostTurns)
	require.Contains(t, told.Answer.Paragraphs[0].Text, "Automatic acts are on")
}

// A model that speaks on and on, a letter at a time, is given up when its time is over; one that says nothing sooner.
func TestASlowModelIsGivenUp(t *testing.T) {
	t.Parallel()
	slow := func(w http.ResponseWriter, r *http.Request) {
		ticks := time.NewTicker(20 * time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-r.Context().Done():
				return
			case <-ticks.C:
				modeltest.Event(w, `{"choices":[{"delta":{"content":"x"}}]}`)
			}
		}
	}
	silent := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, test := range map[string]struct {
		turn   modeltest.Turn
		limits model.Limits
		codes  []string
	}{
		"slow":   {slow, model.Limits{Whole: 500 * time.Millisecond, Idle: time.Minute}, []string{failReach, failSilent}},
		"silent": {silent, model.Limits{Whole: time.Minute, Idle: 200 * time.Millisecond}, []string{failSilent}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := connected(t, modeltest.New(t, test.turn), nil, impatient(test.limits))
			told, _ := followed(t, user(p), isStopped)
			require.Equal(t, failed, told.State)
			require.Contains(t, test.codes, told.Error.Code)
			require.Contains(t, told.Answer.Paragraphs[0].Text, "Automatic acts are on", "the panel answers instead")
		})
	}
}

// A key that is revoked between two turns ends the answer; what the first turn cost is counted all the same.
func TestAKeyThatIsRevokedInTheMiddleEndsTheAnswer(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Names("automation", "{}"), modeltest.Answers(http.StatusUnauthorized, "revoked"))
	p := connected(t, m, nil)
	u := user(p)
	told, _ := followed(t, u, isStopped)
	require.Equal(t, failKey, told.Error.Code)
	require.Positive(t, told.Tokens)
	require.EqualValues(t, told.Tokens, u.Get(path).Is(http.StatusOK).Value("model.spent.tokens"))
	require.Len(t, told.Answer.Read, 2, "what the model read stays told beside what the panel read")
}

// A model that is switched off while it answers is asked no further.
func TestAModelThatIsSwitchedOffIsAskedNoFurther(t *testing.T) {
	t.Parallel()
	var p *paneltest.Panel
	m := modeltest.New(t, func(w http.ResponseWriter, r *http.Request) {
		now := p.Admin().Get(path + "/settings").Is(http.StatusOK)
		changed, _ := now.Value("settings").(object)
		delete(changed, "has_key")
		changed["enabled"] = false
		p.Admin().Put(path+"/settings", object{"revision": now.Value("revision"), "settings": changed}).Is(http.StatusOK)
		modeltest.Names("automation", "{}")(w, r)
	}, modeltest.Says("still here"))
	p = connected(t, m, nil)
	told, _ := followed(t, user(p), isStopped)
	require.Equal(t, failOff, told.Error.Code)
	require.Len(t, m.Heard(), 1)
}

// The rights of the caller are asked for at each call: who loses one while the model thinks is told no more.
func TestARightThatIsLostInTheMiddleIsLostForTheModelToo(t *testing.T) {
	t.Parallel()
	var p *paneltest.Panel
	var caller *paneltest.Client
	m := modeltest.New(t, func(w http.ResponseWriter, r *http.Request) {
		account := "/api/v1/accounts/" + caller.AccountID
		revision := p.Admin().Get(account).Is(http.StatusOK).Value("revision")
		p.Admin().Patch(account, object{"revision": revision, "permissions": []string{"assistant.use"}}).Is(http.StatusOK)
		modeltest.Names("who_changed", `{"period":"today"}`)(w, r)
	}, modeltest.Says("I see nothing."))
	p = connected(t, m, nil)
	caller = p.As("assistant.use", "audit.view")
	told, _ := followed(t, caller, "Who did what?")
	require.False(t, told.Answer.Read[0].OK)
	require.Equal(t, []string{"audit.view"}, told.Answer.Read[0].Missing)
	require.NotContains(t, m.Heard()[1], "account.permissions_changed")
}

// A model that sends the panel elsewhere gets neither the question nor the key there.
func TestARedirectOfTheModelIsNotFollowed(t *testing.T) {
	t.Parallel()
	elsewhere := modeltest.New(t, modeltest.Says("caught"))
	m := modeltest.New(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/v1/chat/completions", http.StatusTemporaryRedirect)
	})
	told, _ := followed(t, user(connected(t, m, nil)), isStopped)
	require.Equal(t, failed, told.State)
	require.Empty(t, elsewhere.Heard())
}

// Of several who follow one answer, on two panels, one has it made; all hear its end.
func TestAnAnswerIsMadeOnceForAllWhoFollowIt(t *testing.T) {
	t.Parallel()
	m := modeltest.New(t, modeltest.Says("Only once."))
	p := connected(t, m, nil)
	other := paneltest.Start(t, paneltest.Modules(Module()), paneltest.On(p.DB), mayCall())
	u := user(p)
	id := u.Post(path+"/questions", question(isStopped)).Is(http.StatusCreated).Text("id")
	var all sync.WaitGroup
	heard := make([]string, 4)
	for i := range heard {
		who := []*paneltest.Client{u, other.Bearer(u.Token)}[i%2]
		all.Go(func() { heard[i] = string(who.Post(path+"/questions/"+id+"/stream", nil).Is(http.StatusOK).Body) })
	}
	all.Wait()
	require.Len(t, m.Heard(), 1)
	for _, one := range heard {
		require.Equal(t, "Only once.", last(t, one).Answer.Paragraphs[0].Text)
	}
}

// A question that is deleted while the model answers stays deleted.
func TestADeletedQuestionStaysDeleted(t *testing.T) {
	t.Parallel()
	var p *paneltest.Panel
	var u *paneltest.Client
	m := modeltest.New(t, func(w http.ResponseWriter, r *http.Request) {
		u.Delete(path + "/questions").Is(http.StatusNoContent)
		modeltest.Says("Too late.")(w, r)
	})
	p = connected(t, m, nil)
	u = user(p)
	id := u.Post(path+"/questions", question(isStopped)).Is(http.StatusCreated).Text("id")
	u.Post(path+"/questions/"+id+"/stream", nil).Is(http.StatusOK)
	u.Get(path+"/questions/"+id).Refused(http.StatusNotFound, "not_found")
	require.Zero(t, p.Admin().Get(path+"/questions").Is(http.StatusOK).Value("total"))
}

// Of twenty who begin the helper session at once on two panels, one holds it and the others are told who.
func TestTwoPanelsHandTheHelperToOne(t *testing.T) {
	t.Parallel()
	p := paneltest.New(t, Module())
	other := paneltest.Start(t, paneltest.Modules(Module()), paneltest.On(p.DB))
	people := make([]*paneltest.Client, 20)
	for i := range people {
		people[i] = user([]*paneltest.Panel{p, other}[i%2])
	}
	answers := make([]*paneltest.Answer, len(people))
	var all sync.WaitGroup
	for i, who := range people {
		all.Go(func() { answers[i] = who.Post(path+"/helper", english) })
	}
	all.Wait()
	held, holder := 0, ""
	for _, one := range answers {
		if one.Status == http.StatusCreated {
			held, holder = held+1, one.Text("holder.name")
		}
	}
	require.Equal(t, 1, held)
	for _, one := range answers {
		if one.Status != http.StatusCreated {
			require.Equal(t, holder, one.Refused(http.StatusConflict, "assistant_busy").Text("holder"))
		}
	}
}
