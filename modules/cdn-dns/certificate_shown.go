package cdndns

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"panel/platform/agentapi"
	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

const (
	dialWithin   = 3 * time.Second
	dialsAtOnce  = 16
	mostListener = 100 // looked at by one run

	confirmWithin = 5 * time.Minute // that an agent has for what it was given
)

// shownCheck is what Doctor asks about listeners with TLS: whether the node holds, and a client sees, the certificate
// that the panel holds.
func shownCheck() doctor.Check {
	return doctor.Check{ID: "tls.shown", Group: "tls", Title: "certificates that clients see", Run: shownToClients}
}

// showing is a listener with what it should show and what it shows.
type showing struct {
	Hostname    string
	Address     string
	Port        int
	Fingerprint string

	Seen string `bun:"-"`
	Met  error  `bun:"-"`
}

// shownToClients connects to listeners as a client does. One that cannot be reached from here may be reached by
// clients.
func shownToClients(ctx context.Context, env doctor.Env) doctor.Finding {
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	defer done()
	var all []showing
	err := db.NewRaw(`select distinct u.hostname, n.address, u.port, c.fingerprint
		from certificate_uses u join nodes n on n.id = u.node_id cross join lateral (
			select fingerprint from certificates
			where chain <> '' and names && array[u.hostname, '*' || substr(u.hostname, strpos(u.hostname, '.'))]
			order by not_after desc, id desc limit 1
		) c order by u.hostname, n.address, u.port limit ?`, mostListener).Scan(ctx, &all)
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	if len(all) == 0 {
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no flow has a listener with TLS")}
	}
	behind, err := notConfirmed(ctx, db, env.Now())
	if err != nil {
		return doctor.Finding{
			Status: doctor.Skipped, Found: doctor.Say("the schema of the panel is not in this database"),
		}
	}
	lookAt(ctx, all)
	return judgeShown(all, behind)
}

// notConfirmed names the nodes whose agents should hold other certificates for a while now than they say.
func notConfirmed(ctx context.Context, db bun.IDB, now time.Time) (names []string, err error) {
	err = db.NewRaw(`select n.name from node_documents d join nodes n on n.id = d.node_id
		left join node_reports r on r.node_id = d.node_id
		where d.name = ?0 and d.set_at < ?1 and d.node_id in (select node_id from certificate_uses) and not exists (
			select from jsonb_to_recordset(coalesce(r.surroundings -> 'documents', '[]')) as a(name text, hash text)
			where a.name = d.name and a.hash = d.hash)
		order by n.name`, agentapi.DocumentCertificates, now.Add(-confirmWithin)).Scan(ctx, &names)
	return names, err
}

func lookAt(ctx context.Context, all []showing) {
	var running sync.WaitGroup
	slots := make(chan struct{}, dialsAtOnce)
	for i := range all {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			all[i].look(ctx)
		})
	}
	running.Wait()
}

// look reads the certificate whatever it is: its fingerprint is compared, so nobody has to vouch for it.
func (s *showing) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, dialWithin)
	defer cancel()
	dialer := &tls.Dialer{Config: &tls.Config{
		ServerName: s.Hostname, InsecureSkipVerify: true, //nolint:gosec // compared by its fingerprint
	}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(s.Address, strconv.Itoa(s.Port)))
	if err != nil {
		s.Met = err
		return
	}
	defer conn.Close()
	secure, ok := conn.(*tls.Conn)
	if !ok || len(secure.ConnectionState().PeerCertificates) == 0 {
		s.Met = errors.New("it shows no certificate")
		return
	}
	sum := sha256.Sum256(secure.ConnectionState().PeerCertificates[0].Raw)
	s.Seen = hex.EncodeToString(sum[:])
}

func judgeShown(all []showing, behind []string) doctor.Finding {
	var other, away []string
	for _, s := range all {
		switch {
		case s.Met != nil:
			away = append(away, s.Hostname)
		case s.Seen != s.Fingerprint:
			other = append(other, s.Hostname)
		}
	}
	data := map[string]any{
		"listeners": len(all), "other_certificate": len(other), "not_reached": len(away), "nodes_behind": len(behind),
	}
	switch {
	case len(other) > 0:
		return doctor.Finding{
			Status: doctor.Failed, Subject: other[0], Data: data,
			Found: doctor.Say("%d of %d listeners show another certificate than the panel has given", len(other), len(all)),
			Do:    doctor.Say("look whether the agent of the node is connected and what it says about the certificates"),
		}
	case len(behind) > 0:
		return doctor.Finding{
			Status: doctor.Warning, Subject: behind[0], Data: data,
			Found: doctor.Say("nodes whose agents do not confirm the certificates that they were given: %d", len(behind)),
			Do:    doctor.Say("look whether the agent of the node is connected and what it says about the certificates"),
		}
	case len(away) == len(all):
		return doctor.Finding{
			Status: doctor.Skipped, Subject: away[0], Data: data,
			Found: doctor.Say("no listener with TLS can be reached from here"),
		}
	}
	return doctor.Finding{
		Status: doctor.OK, Data: data,
		Found: doctor.Say("%d listeners show the certificate that the panel has given", len(all)-len(away)),
	}
}
