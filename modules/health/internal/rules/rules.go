package rules

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"panel/platform/database"
	"panel/platform/fault"
)

// Kinds of scopes.
const (
	All  = "all"
	Tag  = "tag"
	Pool = "pool"
	Node = "node"
	Flow = "connection_unit"
)

// Types of checks.
const (
	Heartbeat  = "heartbeat"
	Core       = "core"
	TCP        = "tcp"
	UDP        = "udp"
	TLS        = "tls"
	Tunnel     = "tunnel"
	CertExpiry = "cert_expiry"
	HTTP       = "http"
	DNS        = "dns"
	Metric     = "metric"
)

// Layers are the types in the order in which they build on each other.
var Layers = []string{Heartbeat, Core, TCP, UDP, TLS, Tunnel, CertExpiry, HTTP, DNS, Metric}

// Warns says of a type of check that what it finds is bad, and that traffic goes on.
func Warns(kind string) bool { return kind == CertExpiry || kind == Metric }

// Modes of self-repair.
const (
	Observe = "observe"
	Suggest = "suggest"
	Auto    = "auto"
)

// Acts of self-repair.
const (
	RestartCore = "restart_core"          // the agent starts its core anew
	Reapply     = "reapply_installed"     // what is installed on the node is put there again
	Withdraw    = "withdraw_from_pool"    // the node gets no new traffic of transit pools until it is well
	SwitchDNS   = "switch_dns"            // the names of its entries lead to another of its addresses until it is well
	HideHosts   = "hide_proxypanel_hosts" // proxy panels show their users no way to the node until it is well
)

// Ladder are the acts of self-repair, the gentlest first.
var Ladder = []string{RestartCore, Reapply, Withdraw, SwitchDNS, HideHosts}

// DefaultRepair suggests: nothing is done before somebody has seen what would be, and who trusts it says auto. The
// numbers are those that tunnel monitors of panels have proved.
func DefaultRepair() Repair {
	const hourly, cooldown = 10, 300
	return Repair{
		Mode: Suggest, Actions: slices.Clone(Ladder),
		Limits: Limits{MaxActionsPerHour: hourly, CooldownS: cooldown, MaxPctOfPool: usualShare},
	}
}

const (
	usualInterval = 30
	usualTimeout  = 5
	usualShare    = 30
	certInterval  = 3600
	tunnels       = 300 // a client of its own runs for each
	tunnelLeast   = 30
	usualDays     = 14 // clients of ACME renew a month before the end, and notice for two weeks that they cannot
	usualAbove    = 90
)

// Default is the policy of all that nobody has said anything about.
func Default() Policy {
	return Policy{
		Scope: Scope{Kind: All},
		Checks: []Check{
			{Type: Heartbeat},
			{Type: Core},
			{Type: TCP, IntervalS: usualInterval, TimeoutS: usualTimeout},
			{Type: UDP, IntervalS: usualInterval, TimeoutS: usualTimeout},
			{Type: TLS, IntervalS: usualInterval, TimeoutS: usualTimeout},
		},
		Vantages: Vantages{Panel: true, Agents: 3}, Quorum: 2, FailureThreshold: 3, SuccessThreshold: 2,
		Recheck: Recheck{Count: 3, EveryS: 5}, Flap: Flap{MaxChanges: 6, WindowS: 600}, Windows: []Window{},
		Repair: DefaultRepair(),
	}
}

// Filled puts in what may be left out of checks.
func (p Policy) Filled() Policy {
	p.Checks = slices.Clone(p.Checks)
	for i := range p.Checks {
		c := &p.Checks[i]
		if c.Type == Heartbeat || c.Type == Core {
			c.IntervalS, c.TimeoutS = 0, 0
			continue
		}
		c.fill()
	}
	if p.Repair.Mode == "" {
		p.Repair = DefaultRepair()
	}
	p.Repair.Actions = climbed(p.Repair.Actions)
	if p.Repair.Limits.MaxPctOfPool == 0 {
		p.Repair.Limits.MaxPctOfPool = usualShare
	}
	if p.Windows == nil {
		p.Windows = []Window{}
	}
	return p
}

// fill puts in what may be left out of a check with a pace of its own.
func (c *Check) fill() {
	interval := usualInterval
	switch c.Type {
	case Tunnel:
		interval = tunnels
	case CertExpiry:
		interval = certInterval
		c.Days = cmp.Or(c.Days, usualDays)
	case Metric:
		c.Above = cmp.Or(c.Above, usualAbove)
	}
	c.IntervalS, c.TimeoutS = cmp.Or(c.IntervalS, interval), cmp.Or(c.TimeoutS, usualTimeout)
}

// climbed are acts in the sequence of the ladder, each once.
func climbed(acts []string) []string {
	out := []string{}
	for _, act := range Ladder {
		if slices.Contains(acts, act) {
			out = append(out, act)
		}
	}
	return out
}

// Has gives the check of a type.
func (p Policy) Has(kind string) (Check, bool) {
	at := slices.IndexFunc(p.Checks, func(c Check) bool { return c.Type == kind })
	if at < 0 {
		return Check{}, false
	}
	return p.Checks[at], true
}

// Valid refuses a policy that could not be kept. Fault: invalid_value (422).
func (p Policy) Valid() error {
	if err := p.Scope.valid(); err != nil {
		return err
	}
	seen := map[string]bool{}
	for i, c := range p.Checks {
		field := fmt.Sprintf("checks[%d]", i)
		if seen[c.key()] {
			return fault.InvalidValue(field, "stands there twice")
		}
		seen[c.key()] = true
		if err := c.valid(field); err != nil {
			return err
		}
	}
	if !p.Vantages.Panel && p.Vantages.Agents == 0 {
		return fault.InvalidValue("vantages", "somebody has to look: the panel, or other nodes")
	}
	for i, w := range p.Windows {
		if err := w.valid(fmt.Sprintf("maintenance_windows[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// key is what a policy may say once: pages, names and metrics may be several.
func (c Check) key() string { return c.Type + " " + c.Page + " " + c.Name + " " + c.Metric }

func (s Scope) valid() error {
	switch {
	case s.Kind == Tag && s.Tag == "":
		return fault.InvalidValue("scope.tag", "name the tag")
	case s.Kind != Tag && s.Tag != "":
		return fault.InvalidValue("scope.tag", "belongs to a scope of the kind tag")
	case (s.Kind == Node || s.Kind == Flow || s.Kind == Pool) && !database.IsID(s.ID):
		return fault.InvalidValue("scope.id", "name the node or flow by its id")
	case (s.Kind == All || s.Kind == Tag) && s.ID != "":
		return fault.InvalidValue("scope.id", "belongs to a scope of one node or flow")
	}
	return nil
}

func (c Check) valid(field string) error {
	switch {
	case c.Type != HTTP && c.Page != "":
		return fault.InvalidValue(field+".page", "belongs to a check of the type http")
	case c.Type != DNS && c.Name != "":
		return fault.InvalidValue(field+".name", "belongs to a check of the type dns")
	case c.Type != CertExpiry && c.Days != 0:
		return fault.InvalidValue(field+".days", "belongs to a check of the type cert_expiry")
	case c.Type != Metric && c.Metric != "":
		return fault.InvalidValue(field+".metric", "belongs to a check of the type metric")
	case c.Type != Metric && c.Above != 0:
		return fault.InvalidValue(field+".above", "belongs to a check of the type metric")
	case c.Type == Tunnel && c.IntervalS < tunnelLeast:
		return fault.InvalidValue(field+".interval_s", fmt.Sprintf("a tunnel is tried every %d seconds at most", tunnelLeast))
	case c.Type == Metric && c.Metric == "":
		return fault.InvalidValue(field+".metric", "name what of the node: cpu, memory or disk")
	case c.Type == DNS && !hostName(c.Name):
		return fault.InvalidValue(field+".name", "name the host name that nodes must resolve")
	case c.Type == HTTP && !page(c.Page):
		return fault.InvalidValue(field+".page", "name the page that nodes must reach, https://example.com/")
	case c.IntervalS > 0 && c.TimeoutS >= c.IntervalS:
		return fault.InvalidValue(field+".timeout_s", "must be shorter than the interval")
	}
	return nil
}

func page(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil
}

func hostName(name string) bool {
	return name != "" && strings.Contains(name, ".") && !strings.ContainsAny(name, " /:@\t\r\n\x00")
}

func (w Window) valid(field string) error {
	once, weekly := w.From != "" || w.Until != "", len(w.Weekdays) > 0 || w.Start != "" || w.Minutes > 0
	if once == weekly {
		return fault.InvalidValue(field, "give from and until, or weekdays, start and minutes")
	}
	if once {
		from, err := time.Parse(time.RFC3339, w.From)
		until, failed := time.Parse(time.RFC3339, w.Until)
		if err != nil || failed != nil || !until.After(from) {
			return fault.InvalidValue(field+".until", "must be after from")
		}
		return nil
	}
	if len(w.Weekdays) == 0 || w.Start == "" || w.Minutes == 0 {
		return fault.InvalidValue(field, "give weekdays, start and minutes")
	}
	if _, err := time.LoadLocation(w.Zone); err != nil || w.Zone == "Local" {
		return fault.InvalidValue(field+".zone", "must be a time zone of the IANA list, such as Europe/Berlin")
	}
	return nil
}

// Resting says whether a moment lies in one of the windows of maintenance.
func (p Policy) Resting(at time.Time) bool {
	return slices.ContainsFunc(p.Windows, func(w Window) bool { return w.holds(at) })
}

var weekdays = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

func (w Window) holds(at time.Time) bool {
	if w.From != "" {
		from, _ := time.Parse(time.RFC3339, w.From)
		until, _ := time.Parse(time.RFC3339, w.Until)
		return !at.Before(from) && at.Before(until)
	}
	zone, err := time.LoadLocation(w.Zone)
	if err != nil {
		return false
	}
	var hour, minute int
	if _, err := fmt.Sscanf(w.Start, "%d:%d", &hour, &minute); err != nil {
		return false
	}
	local := at.In(zone)
	for back := range 2 { // one of yesterday may reach over midnight
		day := local.AddDate(0, 0, -back)
		if !slices.Contains(w.Weekdays, weekdays[day.Weekday()]) {
			continue
		}
		from := time.Date(day.Year(), day.Month(), day.Day(), hour, minute, 0, 0, zone)
		if !at.Before(from) && at.Before(from.Add(time.Duration(w.Minutes)*time.Minute)) {
			return true
		}
	}
	return false
}

// Named is a policy as it is stored.
type Named struct {
	ID, Name string
	Policy
}

// Subject is a node or flow as scopes know it.
type Subject struct {
	Kind, ID string
	Tags     []string
	Pools    []string // ids of those that it is a member of
}

// Choose gives the policy of a subject: the narrowest of those that are on, and of several with tags or pools of the
// subject the first by name. One of scope all is always among them.
func Choose(all []Named, subject Subject) (chosen Named) {
	best := -1
	for _, p := range all {
		rank := p.Scope.narrow(subject)
		if rank > best || rank == best && rank > 0 && p.Name < chosen.Name {
			best, chosen = rank, p
		}
	}
	return chosen
}

// narrow says how narrowly a scope speaks of a subject, from 0 on; less: not at all.
func (s Scope) narrow(subject Subject) int {
	switch {
	case s.Kind == All:
		return 0
	case s.Kind == Tag && slices.Contains(subject.Tags, s.Tag):
		return 1
	case s.Kind == Pool && slices.Contains(subject.Pools, s.ID):
		return 2
	case s.Kind == subject.Kind && s.ID == subject.ID:
		return 3
	}
	return -1
}
