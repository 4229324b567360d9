package hosting

import (
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"panel/modules/hosting/hostingtest"
	"panel/modules/hosting/internal/cloud"
	"panel/platform/agentapi"
	"panel/platform/database"
	"panel/platform/paneltest"
)

const (
	within = time.Minute
	every  = 20 * time.Millisecond
)

// wish is a machine that Hetzner can make, at the price of the stand-in.
func wish(name string) fields {
	return fields{
		"name": name, "region": "fsn1", "plan": "cx22", "image": "debian-12",
		"price": fields{"amount": 451, "currency": "EUR", "period": "month"},
	}
}

// token finds the enrolment token in what a machine runs when it starts.
var token = regexp.MustCompile(`pne_[A-Za-z0-9_-]+`)

// installers let each machine that is made run its script: its agent comes and reports, again and again.
type installers struct {
	mu      sync.Mutex
	scripts []string
	agents  []*paneltest.Agent
}

func (b *bench) installs() *installers {
	i := &installers{}
	b.cloud.OnMade(func(_ hostingtest.Machine, script string) {
		i.mu.Lock()
		defer i.mu.Unlock()
		i.scripts = append(i.scripts, script)
	})
	return i
}

// run carries out the script of the machine that was made last, as cloud-init does.
func (i *installers) run(b *bench) *paneltest.Agent {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		return len(i.scripts) > len(i.agents)
	}, within, every)
	i.mu.Lock()
	defer i.mu.Unlock()
	agent := b.EnrollWith(token.FindString(i.scripts[len(i.scripts)-1]), "new")
	i.agents = append(i.agents, agent)
	return agent
}

func (b *bench) make(account, name string) (made Order) {
	b.t.Helper()
	b.Admin().Do(http.MethodPost, accountsPath+"/"+account+"/servers", wish(name), "Idempotency-Key", database.NewID()).
		Is(http.StatusAccepted).JSON(&made)
	return made
}

func (b *bench) order(o Order) (now Order) {
	b.t.Helper()
	b.Admin().Get(accountsPath + "/" + o.AccountID + "/orders/" + o.ID).Is(http.StatusOK).JSON(&now)
	return now
}

// reaches waits until an order is in a state.
func (b *bench) reaches(o Order, state string) (now Order) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		now = b.order(o)
		return now.State == state || now.FinishedAt != nil
	}, within, every)
	require.Equal(b.t, state, now.State, now.Error)
	return now
}

// online waits until an order is done whose agent reports meanwhile.
func (b *bench) comes(o Order, agent *paneltest.Agent) (now Order) {
	b.t.Helper()
	require.Eventually(b.t, func() bool {
		agent.Beat()
		now = b.order(o)
		return now.FinishedAt != nil
	}, within, 100*time.Millisecond)
	require.Equal(b.t, orderDone, now.State, now.Error)
	return now
}

// "Create with price first, cloud-init that enrols the agent (token one-off, bound to the node, valid 1 h), node bound
// when it comes; everything an operation, in the journal."
func TestAMachineIsMadeAndBecomesItsNode(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account, machines := b.add(), b.installs()
	var price Quote
	body := wish("ams-1")
	delete(body, "price")
	b.Admin().Post(accountsPath+"/"+account.ID+"/servers/preview", body).Is(http.StatusOK).JSON(&price)
	require.Equal(t, cloud.Price{Amount: 451, Currency: "EUR", Period: "month"}, price.Price)
	require.Empty(t, b.cloud.Machines(), "a preview makes nothing")

	order := b.make(account.ID, "ams-1")
	require.NotNil(t, order.NodeID)
	require.Equal(t, "queued", order.State)
	agent := machines.run(b)
	require.Equal(t, *order.NodeID, agent.NodeID, "the token is bound to the node")
	var lives float64
	require.NoError(t, b.DB.NewRaw(`select extract(epoch from expires_at - created_at) from enrollment_tokens
		where bind_node_id = ?`, agent.NodeID).Scan(t.Context(), &lives))
	require.InDelta(t, 3600, lives, 1)
	b.Anonymous().Post(agentapi.PathEnroll, fields{
		"token": token.FindString(machines.scripts[0]), "hostname": "x", "os": "linux", "arch": "amd64", "protocol": 1,
	}).Refused(http.StatusUnauthorized, "enrollment_token_invalid")

	done := b.comes(order, agent)
	list := b.servers(account.ID)
	require.Len(t, list, 1)
	require.Equal(t, list[0].ID, *done.ServerID)
	require.Equal(t, order.NodeID, list[0].NodeID)
	require.Equal(t, cloud.Running, list[0].Status)
	require.Contains(t, list[0].Tags, cloud.Mark(order.ID))
	operation := b.Admin().Get("/api/v1/operations/" + order.ID).Is(http.StatusOK)
	require.Equal(t, "succeeded", operation.Text("state"))
	require.Equal(t, "hosting.create", operation.Text("kind"))
	require.Contains(t, b.Recorded(objectServer, order.ID), serverOrdered)
	require.Contains(t, b.Recorded(objectServer, list[0].ID), serverMade)

	require.Equal(t, "succeeded", b.sync(account.ID))
	require.Equal(t, order.NodeID, b.servers(account.ID)[0].NodeID, "a reading takes the node away")
}

// "Idempotency-Key honoured on POSTs that cost money", and demanded here.
func TestACreateIsMadeOncePerKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	path := accountsPath + "/" + account.ID + "/servers"
	b.Admin().Post(path, wish("ams-1")).Refused(http.StatusBadRequest, "bad_parameter")
	b.Admin().PostOnce(path, wish("ams-1"))
	require.Eventually(t, func() bool { return len(b.cloud.Machines()) == 1 }, within, every)
}

// "409 when the price changed between preview and create": with the price of now, and nothing is made.
func TestAPriceThatHasChangedIsConfirmedAnew(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Costs(9)
	refused := b.Admin().Do(http.MethodPost, accountsPath+"/"+account.ID+"/servers", wish("ams-1"), "Idempotency-Key",
		"a").Refused(http.StatusConflict, "hosting_price_changed")
	require.EqualValues(t, 900, refused.Value("price").(map[string]any)["amount"])
	require.Empty(t, b.cloud.Machines())
	var nodes int
	require.NoError(t, b.DB.NewRaw("select count(*) from nodes").Scan(t.Context(), &nodes))
	require.Zero(t, nodes, "a node was added for a machine that is not made")
}

// "500 after creating": the machine is found again by its mark, and not made twice.
func TestACreateThatTimedOutIsFoundAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account, machines := b.add(), b.installs()
	b.cloud.BreakAfter(1)
	order := b.make(account.ID, "ams-1")
	b.comes(order, machines.run(b))
	require.Len(t, b.cloud.Machines(), 1)
	require.Len(t, machines.scripts, 1)
}

// "429": the order waits as long as the provider wants and goes on.
func TestAProviderThatWantsToBeLeftAloneIsAskedLater(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account, machines := b.add(), b.installs()
	order := b.make(account.ID, "ams-1")
	b.comes(order, machines.run(b))
	b.cloud.Busy(1, "1")
	var off Order
	b.Admin().Post(accountsPath+"/"+account.ID+"/servers/"+b.servers(account.ID)[0].ID+"/power", fields{"act": "off"}).
		Is(http.StatusAccepted).JSON(&off)
	b.reaches(off, orderDone)
	require.Equal(t, cloud.Off, b.servers(account.ID)[0].Status)
}

// "401": an order that the provider refuses ends at once with its words, and its token with it.
func TestARefusedCreateEndsWithItsCause(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Allow("Read")
	news := b.Follow()
	order := b.reaches(b.make(account.ID, "ams-1"), orderFailed)
	require.Contains(t, order.Error, "right_missing")
	require.Equal(t, order.Error, news.Next(orderWentWrong).Data.(Ordered).Error)
	operation := b.Admin().Get("/api/v1/operations/" + order.ID).Is(http.StatusOK)
	require.Equal(t, "failed", operation.Text("state"))
	var open int
	require.NoError(t, b.DB.NewRaw("select count(*) from enrollment_tokens where revoked_at is null").
		Scan(t.Context(), &open))
	require.Zero(t, open, "a token outlives its order")
	body := wish("ams-2")
	body["node_id"] = *order.NodeID
	b.cloud.Allow("*")
	b.Admin().Do(http.MethodPost, accountsPath+"/"+account.ID+"/servers", body, "Idempotency-Key", "again").
		Is(http.StatusAccepted)
}

// "An action that never ends": the order ends with what is to be looked at, and the machine stays known.
func TestAnActionThatNeverEndsEndsTheOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Stick(true)
	order := b.reaches(b.make(account.ID, "ams-1"), orderProvider)
	b.ages(order, "state_at", madeWithin)
	order = b.reaches(order, orderFailed)
	require.Contains(t, order.Error, "does not come to an end")
	require.Len(t, b.servers(account.ID), 1)
}

// ages lets time pass for an order.
func (b *bench) ages(o Order, column string, by time.Duration) {
	b.t.Helper()
	_, err := b.DB.ExecContext(b.t.Context(), "update hosting_orders set "+column+" = "+column+
		" - make_interval(secs => ?) where id = ?", by.Seconds()+1, o.ID)
	require.NoError(b.t, err)
}

// "Server deleted outside": while its agent is waited for.
func TestAMachineThatIsDeletedOutsideEndsItsOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	b.cloud.Stick(true)
	order := b.reaches(b.make(account.ID, "ams-1"), orderProvider)
	b.cloud.Drop(b.cloud.Machines()[0].ID)
	b.cloud.Stick(false)
	order = b.reaches(order, orderFailed)
	require.Contains(t, order.Error, "was deleted at the provider")
	require.Empty(t, b.servers(account.ID))
}

// An agent that does not come within the life of its token ends the order; the machine stays and is told of.
func TestAnAgentThatDoesNotComeEndsTheOrder(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	order := b.reaches(b.make(account.ID, "ams-1"), orderAgent)
	b.ages(order, "state_at", agentWithin)
	order = b.reaches(order, orderFailed)
	require.Contains(t, order.Error, "the machine is still there")
	require.Len(t, b.servers(account.ID), 1)
}

// "Two operators at once": one name is one machine, and one machine has one order.
func TestTwoOperatorsAtOnceMakeOneMachine(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	path := accountsPath + "/" + account.ID + "/servers"
	statuses := make([]int, 4)
	var all sync.WaitGroup
	for i := range statuses {
		client := b.Admin()
		all.Go(func() {
			statuses[i] = client.Do(http.MethodPost, path, wish("ams-1"), "Idempotency-Key", database.NewID()).Status
		})
	}
	all.Wait()
	made := 0
	for _, status := range statuses {
		if status == http.StatusAccepted {
			made++
			continue
		}
		require.Equal(t, http.StatusConflict, status)
	}
	require.Equal(t, 1, made)
	require.Eventually(t, func() bool { return len(b.servers(account.ID)) == 1 }, within, every)
	b.cloud.Stick(true)
	one := path + "/" + b.servers(account.ID)[0].ID
	var running int
	require.Eventually(t, func() bool { // the order of the machine itself is open as long as its agent does not come
		_ = b.DB.NewRaw("update hosting_orders set state = 'failed', finished_at = now() where act = 'create' returning 1").
			Scan(t.Context(), &running)
		return b.Admin().Post(one+"/power", fields{"act": "reboot"}).Status == http.StatusAccepted
	}, within, every)
	b.Admin().Post(one+"/power", fields{"act": "off"}).Refused(http.StatusConflict, "hosting_order_active")
	b.Admin().Delete(one+"?confirm=ams-1").Refused(http.StatusConflict, "hosting_order_active")
	b.Admin().Delete(accountsPath+"/"+account.ID).Refused(http.StatusConflict, "hosting_order_active")
}

func TestMachinesThatCannotBeMeantAreRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	account := b.add()
	agent := b.Enroll("busy").Online()
	path := accountsPath + "/" + account.ID + "/servers/preview"
	for name, change := range map[string]fields{
		"an unknown plan":        {"plan": "cx99"},
		"sold out there":         {"region": "ash"},
		"an unknown image":       {"image": "windows"},
		"a name with spaces":     {"name": "Ams 1"},
		"a name of two letters":  {"name": "am"},
		"an unknown node":        {"node_id": database.NewID()},
		"no id of a node":        {"node_id": "x"},
		"a node that has one":    {"node_id": agent.NodeID},
		"no region":              {"region": ""},
		"an image of no letters": {"image": ""},
	} {
		body := wish("ams-1")
		delete(body, "price")
		for key, value := range change {
			body[key] = value
		}
		answer := b.Admin().Post(path, body)
		require.Equal(t, http.StatusUnprocessableEntity, answer.Status, "%s: %s", name, answer.Body)
	}
	b.Admin().Post(accountsPath+"/"+b.byHand().ID+"/servers/preview", wish("ams-1")).
		Refused(http.StatusBadRequest, "unknown_field")
}

// "Power": on, off and reboot are operations, and what comes of them is what the machine is known to be.
func TestAMachineIsSwitched(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	one := b.servers(account.ID)[0]
	for _, act := range []struct{ act, status string }{
		{"off", cloud.Off}, {"off", cloud.Off}, {"on", cloud.Running}, {"reboot", cloud.Running},
	} {
		var order Order
		b.Admin().Post(accountsPath+"/"+account.ID+"/servers/"+one.ID+"/power", fields{"act": act.act}).
			Is(http.StatusAccepted).JSON(&order)
		b.reaches(order, orderDone)
		require.Equal(t, act.status, b.servers(account.ID)[0].Status, act.act)
		require.Equal(t, "succeeded", b.Admin().Get("/api/v1/operations/"+order.ID).Is(http.StatusOK).Text("state"))
	}
	b.Admin().Post(accountsPath+"/"+account.ID+"/servers/"+one.ID+"/power", fields{"act": "explode"}).
		Refused(http.StatusUnprocessableEntity, "invalid_value")
	require.Contains(t, b.Recorded(objectServer, one.ID), powerOrdered)
	require.Contains(t, b.Recorded(objectServer, one.ID), powerChanged)
}

// A reboot whose answer is lost is not sent again; switching off is.
func TestAnActWhoseAnswerIsLostIsRepeatedOnlyWhereThatIsHarmless(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	path := accountsPath + "/" + account.ID + "/servers/" + b.servers(account.ID)[0].ID + "/power"
	b.cloud.Calls()
	for act, want := range map[string]struct {
		state string
		calls int
	}{"reboot": {orderFailed, 1}, "off": {orderDone, 2}} {
		b.cloud.BreakAfter(1)
		var order Order
		b.Admin().Post(path, fields{"act": act}).Is(http.StatusAccepted).JSON(&order)
		b.reaches(order, want.state)
		sent := 0
		for _, call := range b.cloud.Calls() {
			if call == "POST /servers/1/actions/reboot" || call == "POST /servers/1/actions/poweroff" {
				sent++
			}
		}
		require.Equal(t, want.calls, sent, act)
	}
}

// "Delete only with the typed name": twice is harmless, also where somebody has deleted it outside.
func TestAMachineIsDeletedByItsTypedName(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"), machine(2, "192.0.2.2"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	list := b.servers(account.ID)
	path := accountsPath + "/" + account.ID + "/servers/"
	b.Admin().Delete(path+list[0].ID).Refused(http.StatusUnprocessableEntity, "invalid_value")
	b.Admin().Delete(path+list[0].ID+"?confirm="+list[1].Name).Refused(http.StatusUnprocessableEntity, "invalid_value")
	var first, second Order
	b.cloud.Stick(true)
	b.Admin().Delete(path + list[0].ID + "?confirm=" + list[0].Name).Is(http.StatusAccepted).JSON(&first)
	b.Admin().Delete(path + list[0].ID + "?confirm=" + list[0].Name).Is(http.StatusAccepted).JSON(&second)
	require.Equal(t, first.ID, second.ID, "deleted twice at once")
	b.cloud.Stick(false)
	b.reaches(first, orderDone)
	require.Len(t, b.servers(account.ID), 1)
	b.Admin().Delete(path+list[0].ID+"?confirm="+list[0].Name).Refused(http.StatusNotFound, "not_found")
	require.Contains(t, b.Recorded(objectServer, list[0].ID), serverDeleted)

	b.cloud.Drop(2)
	b.Admin().Delete(path + list[1].ID + "?confirm=" + list[1].Name).Is(http.StatusAccepted).JSON(&second)
	b.reaches(second, orderDone)
	require.Empty(t, b.servers(account.ID))
}

// "Never a server that serves an installed flow": neither when it is ordered nor when its provider is about to be
// asked.
func TestAMachineThatServesAFlowIsNotDeleted(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	node := b.Admin().AddNode("ams-1", "address", "192.0.2.1")
	b.cloud.Put(machine(1, "192.0.2.1"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	one := b.servers(account.ID)[0]
	path := accountsPath + "/" + account.ID + "/servers/" + one.ID + "?confirm=" + one.Name
	flow := b.Admin().Post("/api/v1/connection-units", fields{"name": "Main"}).Is(http.StatusCreated).Text("id")
	serves := func(on bool) {
		statement := "delete from flow_fragments where flow_id = ? and node_id = ?"
		if on {
			statement = "insert into flow_fragments (flow_id, node_id, content, hash) values (?, ?, '{}', '')"
		}
		_, err := b.DB.ExecContext(t.Context(), statement, flow, node)
		require.NoError(t, err)
	}
	serves(true)
	refused := b.Admin().Delete(path).Refused(http.StatusConflict, "node_in_use")
	require.Equal(t, []any{flow}, refused.Value("flow_ids"))

	serves(false)
	b.cloud.Calls()
	b.cloud.Busy(1, "2") // a flow is installed while the order waits for its turn
	var order Order
	b.Admin().Delete(path).Is(http.StatusAccepted).JSON(&order)
	require.Eventually(t, func() bool { return len(b.cloud.Calls()) > 0 }, within, every)
	serves(true)
	order = b.reaches(order, orderFailed)
	require.Contains(t, order.Error, "flows are installed")
	require.Len(t, b.cloud.Machines(), 1)
}

// Orders of an account are listed, newest first, and one of another account is none of it.
func TestOrdersAreListed(t *testing.T) {
	t.Parallel()
	b := newBench(t, "hetzner")
	b.cloud.Put(machine(1, "192.0.2.1"))
	account := b.add()
	require.Equal(t, "succeeded", b.sync(account.ID))
	path := accountsPath + "/" + account.ID
	var orders [2]Order
	for i, act := range []string{"off", "on"} {
		b.Admin().Post(path+"/servers/"+b.servers(account.ID)[0].ID+"/power", fields{"act": act}).
			Is(http.StatusAccepted).JSON(&orders[i])
		b.reaches(orders[i], orderDone)
	}
	var page struct {
		Items []Order
		Total int
	}
	b.Admin().Get(path + "/orders").Is(http.StatusOK).JSON(&page)
	require.Equal(t, 2, page.Total)
	require.Equal(t, []string{orders[1].ID, orders[0].ID}, []string{page.Items[0].ID, page.Items[1].ID})
	b.Admin().Get(accountsPath+"/"+b.byHand().ID+"/orders/"+orders[0].ID).Refused(http.StatusNotFound, "not_found")
	b.Admin().Get(path+"/orders/no-id").Refused(http.StatusNotFound, "not_found")
}
