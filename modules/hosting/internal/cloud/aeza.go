package cloud

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"panel/platform/config"
)

func aezaKind() *Kind {
	const asked = 1 // a second; acts on one server are allowed ten times a minute
	return &Kind{
		Name: "aeza", Title: "Aeza", BaseURL: "https://my.aeza.net/api",
		Fields:    apiToken("API key of the account"),
		Abilities: []string{CanServers, CanPower, CanDelete}, Rights: []string{}, perSecond: asked,
		proof: func(given Credentials) map[string]config.Secret {
			return map[string]config.Secret{"X-API-Key": config.NewSecret(given[tokenField])}
		},
		open: func(r *rest) driver {
			r.explain = explainAeza
			return &aeza{rest: r, noMaking: noMaking{r.kind}}
		},
	}
}

// aeza has machines among other services, such as domains, and no script for their first start.
type aeza struct {
	*rest
	noActions
	noMaking
}

// explainAeza reads both forms that errors have there.
func explainAeza(body []byte, problem *Problem) {
	said := read[struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
	}](body)
	inner := read[struct{ Slug, Message string }](said.Error)
	if problem.Words = said.Message; problem.Words == "" {
		problem.Words = inner.Message
	}
	if problem.Status == http.StatusConflict {
		problem.Cause = Busy
	}
}

// account reads one service: a key has no rights that it could lack.
func (a *aeza) account(ctx context.Context) (Account, error) {
	_, err := get[aezaServices](ctx, a.rest, "/services?count=1")
	return Account{}, err
}

type aezaServices struct {
	Data struct {
		Items []aezaService `json:"items"`
		Total int           `json:"total"`
	} `json:"data"`
}

type aezaService struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	IP       string `json:"ip"`
	Term     string `json:"paymentTerm"`
	Status   string `json:"status"`
	Location string `json:"locationCode"`
	Product  struct {
		ID   int64  `json:"id"`
		Type string `json:"type"`
	} `json:"product"`
	IPs []struct {
		Value string `json:"value"`
	} `json:"ips"`
	IPv6 []struct {
		Value string `json:"value"`
	} `json:"ipv6"`
	Prices     map[string]float64 `json:"individualPrices"` // in roubles, whatever the account shows
	Timestamps struct {
		ExpiresAt json.RawMessage `json:"expiresAt"` // a number, or one in quotes
	} `json:"timestamps"`
}

// machine tells whether a service is one that has addresses of its own to reach it by.
func (s *aezaService) machine() bool {
	return slices.Contains([]string{"vps", "hicpu", "dedicated", "storage"}, s.Product.Type) && s.Status != "deleted"
}

func (s *aezaService) status() string {
	known := map[string]string{
		"performed": Initializing, "activation_wait": Initializing, "active": Running, "suspended": Off,
		"prolong_wait": Off,
	}
	if status := known[s.Status]; status != "" {
		return status
	}
	return Unknown
}

func (s *aezaService) server() Server {
	shown := Server{
		ID: strconv.FormatInt(s.ID, 10), Name: s.Name, Status: s.status(), Region: s.Location,
		Plan: strconv.FormatInt(s.Product.ID, 10), Tags: []string{}, Price: s.price(), NextDueAt: s.due(),
	}
	addresses := []string{s.IP}
	for _, one := range append(s.IPs, s.IPv6...) {
		addresses = append(addresses, one.Value)
	}
	shown.IPv4, shown.IPv6 = Split(addresses)
	return shown
}

// price is what the account pays for its term; of several months it is that of one.
func (s *aezaService) price() *Price {
	months := map[string]float64{"month": 1, "quarter_year": 3, "half_year": 6}
	amount, known := s.Prices[s.Term]
	switch {
	case !known:
		return nil
	case months[s.Term] > 0:
		return monthly(amount/months[s.Term], roubles)
	case s.Term == Hour, s.Term == Year:
		return &Price{Amount: cents(amount), Currency: roubles, Period: s.Term}
	}
	return nil
}

// due is when the term ends. That of an hour is none that people pay by hand.
func (s *aezaService) due() *time.Time {
	seconds, err := strconv.ParseInt(strings.Trim(string(s.Timestamps.ExpiresAt), `"`), 10, 64)
	if err != nil || seconds <= 0 || s.Term == Hour {
		return nil
	}
	at := time.Unix(seconds, 0).UTC()
	return &at
}

func (a *aeza) servers(ctx context.Context) ([]Server, error) {
	const most = 100
	return pages(a.rest, func(number int, _ string) ([]Server, string, error) {
		from := (number - 1) * most
		got, err := get[aezaServices](ctx, a.rest, "/services?extra=1&count=100&offset="+strconv.Itoa(from))
		next := ""
		switch {
		case err == nil && len(got.Data.Items) == 0 && from < got.Data.Total:
			err = &Problem{
				Service: a.kind.Title, Cause: AnswerUnreadable, Status: http.StatusOK, Words: "a list lacks services",
			}
		case from+most < got.Data.Total:
			next = strconv.Itoa(from + most)
		}
		others := func(s aezaService) bool { return !s.machine() }
		return mapped(slices.DeleteFunc(got.Data.Items, others), (*aezaService).server), next, err
	})
}

func (a *aeza) server(ctx context.Context, id string) (Server, error) {
	got, err := get[aezaServices](ctx, a.rest, "/services/"+segment(id))
	if err != nil {
		return Server{}, err
	}
	if len(got.Data.Items) == 0 || !got.Data.Items[0].machine() {
		return Server{}, &Problem{
			Service: a.kind.Title, Cause: NotFound, Status: http.StatusNotFound, Words: "it is not there any more",
		}
	}
	return got.Data.Items[0].server(), nil
}

func (a *aeza) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "resume", PowerOff: "suspend", Reboot: "reboot"}
	_, err := a.call(ctx, http.MethodPost, "/services/"+segment(id)+"/ctl", map[string]string{"action": words[act]}, nil)
	return "", err
}

// remove gives up what was paid in advance.
func (a *aeza) remove(ctx context.Context, id string) (string, error) {
	_, err := a.call(ctx, http.MethodDelete, "/services/"+segment(id), nil, nil)
	return "", err
}
