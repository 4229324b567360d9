package detect

import (
	"fmt"
	"net/netip"
	"strings"

	"panel/platform/agentapi"
)

// Ports that say what a stream is for.
const (
	portSMTP  = 25
	portDNS   = 53
	portHTTP  = 80
	portNTP   = 123
	portHTTPS = 443

	usualFactor = 10 // programs reach so many times more addresses on the ports of the web by themselves
)

// logins are ports at which one service asks one user for a password.
var logins = map[uint16]string{
	21: "FTP", 22: "SSH", 23: "Telnet", 110: "POP3", 143: "IMAP", 445: "SMB", 465: "SMTP login", 587: "SMTP login",
	993: "IMAP", 1433: "SQL Server", 3306: "MySQL", 3389: "RDP", 5432: "PostgreSQL", 5900: "VNC",
}

// manyLogins are those of them that programs open many connections to without anybody trying passwords.
var manyLogins = map[uint16]bool{143: true, 445: true, 993: true, 1433: true, 3306: true, 5432: true}

// trackers are ports that hardly anything but BitTorrent uses, with how much the port alone says.
func tracker(port uint16) float64 {
	const first, last = 6881, 6889
	switch {
	case port == 6969, port == 2710:
		return 0.5
	case port == 1337:
		return 0.35
	case port >= first && port <= last:
		return 0.45
	}
	return 0
}

// dest is what a stream reaches for.
type dest struct {
	host string
	ip   netip.Addr
	port uint16
}

type pair struct {
	ip   netip.Addr
	port uint16
}

// client is what one has done in a span.
type client struct {
	total  int
	mails  int
	to25   map[dest]bool
	pairs  map[pair]bool // of those reached by address
	byPort map[uint16]int
	byIP   map[netip.Addr]int
	logins map[dest]int
	burst  map[dest]int
	told   map[agentapi.AbuseKind]int // how much of the span is counted in signals
}

func newClient() *client {
	return &client{
		to25: map[dest]bool{}, pairs: map[pair]bool{}, byPort: map[uint16]int{}, byIP: map[netip.Addr]int{},
		logins: map[dest]int{}, burst: map[dest]int{}, told: map[agentapi.AbuseKind]int{},
	}
}

func (c *client) count(s *Stream) {
	to := dest{s.Host, s.IP, s.Port}
	c.total++
	c.burst[to]++
	if s.Port == portSMTP && !s.UDP {
		c.mails++
		c.to25[to] = true
	}
	if logins[s.Port] != "" && !s.UDP {
		c.logins[to]++
	}
	if at := (pair{s.IP, s.Port}); s.Host == "" && !c.pairs[at] && len(c.pairs) < mostPairs {
		c.pairs[at] = true
		c.byPort[s.Port]++
		c.byIP[s.IP]++
	}
}

// more is how much of a count is not in signals yet.
func (c *client) more(kind agentapi.AbuseKind, count int) int {
	fresh := max(count-c.told[kind], 1)
	c.told[kind] = max(count, c.told[kind])
	return fresh
}

// judge looks at what one more stream makes of its client.
func (d *Detector) judge(c *client, s *Stream) {
	d.judgeScan(c, s)
	d.judgeMail(c, s)
	d.judgeLogins(c, s)
	to, l := dest{s.Host, s.IP, s.Port}, d.limits
	if rate := c.burst[to]; rate >= l.FloodRate {
		d.find(s, verdict{
			agentapi.AbuseFlood, agentapi.DetectedByFlows, grown(rate, l.FloodRate, 0.7, 0.98),
			c.more(agentapi.AbuseFlood, rate), fmt.Sprintf("%d connections to one address and port in 10 s", rate), false,
		})
	}
	if c.total >= l.HighRate {
		d.find(s, verdict{
			agentapi.AbuseHighRate, agentapi.DetectedByFlows, grown(c.total, l.HighRate, 0.5, 0.9),
			c.more(agentapi.AbuseHighRate, c.total), fmt.Sprintf("%d connections in a minute", c.total), true,
		})
	}
}

// judgeScan counts only what is reached by address: who scans asks no name server first.
func (d *Detector) judgeScan(c *client, s *Stream) {
	if s.Host != "" {
		return
	}
	hosts, least, most := d.limits.ScanHosts, 0.7, 0.97
	switch s.Port {
	case portDNS, portHTTP, portNTP, portHTTPS:
		hosts, least, most = hosts*usualFactor, 0.5, 0.9
	}
	if n := c.byPort[s.Port]; n >= hosts {
		d.find(s, verdict{
			agentapi.AbusePortScan, agentapi.DetectedByFlows, grown(n, hosts, least, most),
			c.more(agentapi.AbusePortScan, n), fmt.Sprintf("%d addresses on port %d in a minute", n, s.Port), true,
		})
	}
	if n := c.byIP[s.IP]; n >= d.limits.ScanPorts {
		d.find(s, verdict{
			agentapi.AbusePortScan, agentapi.DetectedByFlows, grown(n, d.limits.ScanPorts, 0.7, 0.97),
			c.more(agentapi.AbusePortScan, n), fmt.Sprintf("%d ports of one address in a minute", n), false,
		})
	}
}

func (d *Detector) judgeMail(c *client, s *Stream) {
	if s.Port != portSMTP || s.UDP || c.mails < d.limits.Mails {
		return
	}
	d.find(s, verdict{
		agentapi.AbuseSMTPSpam, agentapi.DetectedByRule, grown(c.mails, d.limits.Mails, 0.7, 0.95),
		c.more(agentapi.AbuseSMTPSpam, c.mails),
		fmt.Sprintf("%d connections to port 25 of %d servers in a minute", c.mails, len(c.to25)), true,
	})
}

func (d *Detector) judgeLogins(c *client, s *Stream) {
	service := logins[s.Port]
	n := c.logins[dest{s.Host, s.IP, s.Port}]
	if service == "" || s.UDP || n < d.limits.Logins {
		return
	}
	least, most := 0.65, 0.95
	if manyLogins[s.Port] {
		least, most = 0.4, 0.7
	}
	d.find(s, verdict{
		agentapi.AbuseBruteForce, agentapi.DetectedByFlows, grown(n, d.limits.Logins, least, most),
		c.more(agentapi.AbuseBruteForce, n), fmt.Sprintf("%d connections to one %s service in a minute", n, service), false,
	})
}

// judgeSign knows BitTorrent by what a stream shows, else by its port alone, which proves little.
func (d *Detector) judgeSign(s *Stream) {
	v := verdict{kind: agentapi.AbuseTorrent, by: agentapi.DetectedByRule, count: 1}
	switch s.Sign {
	case BitTorrent:
		v.by, v.confidence, v.evidence = agentapi.DetectedByRouting, 0.98, "a plain handshake of BitTorrent"
	case HTTPTracker:
		v.confidence, v.evidence = 0.95, "a tracker was asked over HTTP (info_hash)"
	case UDPTracker:
		v.confidence, v.evidence = 0.92, "a tracker was asked over UDP"
	case DHT:
		v.confidence, v.evidence = 0.85, "a message of the distributed table of BitTorrent"
	case Nothing:
		if v.confidence = tracker(s.Port); v.confidence == 0 || s.Again {
			return
		}
		v.evidence = fmt.Sprintf("a connection to port %d, which BitTorrent uses", s.Port)
	}
	d.find(s, v)
}

func (d *Detector) judgeHost(s *Stream) {
	if s.Host == "" || len(d.limits.Hosts) == 0 {
		return
	}
	for host := strings.ToLower(strings.TrimSuffix(s.Host, ".")); host != ""; _, host, _ = strings.Cut(host, ".") {
		if d.limits.Hosts[host] {
			d.find(s, verdict{
				agentapi.AbusePhishing, agentapi.DetectedByRule, 0.99, 1, host + " is on the list of hosts", false,
			})
			return
		}
	}
}
