package domains

import (
	"context"
	"sync"

	"panel/platform/doctor"
	"panel/platform/doctor/checks"
)

// doctorChecks are what Doctor asks about the domains of nodes.
func doctorChecks() []doctor.Check {
	return []doctor.Check{
		{ID: "tls.nodes", Group: "tls", Title: "certificates of node domains", Run: domainCertificates},
	}
}

// domainCertificates asks the domains of nodes for their certificates, as many as the time of a check allows.
func domainCertificates(ctx context.Context, env doctor.Env) doctor.Finding {
	const most = 50
	db, done, none := checks.Database(ctx, env)
	if none != nil {
		return *none
	}
	var names []string
	err := db.NewRaw("select hostname from node_domains order by hostname limit ?", most).Scan(ctx, &names)
	done()
	switch {
	case err != nil:
		return doctor.Finding{
			Status: doctor.Skipped,
			Found:  doctor.Say("the schema of the panel is not in this database"),
		}
	case len(names) == 0:
		return doctor.Finding{Status: doctor.Skipped, Found: doctor.Say("no node has a domain")}
	}
	return worst(names, certificates(ctx, env, names))
}

func certificates(ctx context.Context, env doctor.Env, names []string) []doctor.Finding {
	found := make([]doctor.Finding, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { found[i] = checks.Certificate(ctx, env, name, "443") })
	}
	wait.Wait()
	return found
}

// worst gives the first certificate that ends. A domain without a server behind port 443 has none, and one that is not
// for the name is what a disguised listener shows on purpose.
func worst(names []string, found []doctor.Finding) doctor.Finding {
	looked := 0
	for i, finding := range found {
		if finding.Data == nil {
			continue
		}
		looked++
		if finding.Status != doctor.OK {
			finding.Subject = names[i]
			return finding
		}
	}
	return doctor.Finding{
		Status: doctor.OK,
		Found:  doctor.Say("%d certificates are in order, %d domains show none of their own", looked, len(names)-looked),
	}
}
