// Package certificates is the part of the agent that holds the certificates of the node's host names and lets the core
// show them.
package certificates

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"

	"panel/cmd/panel-agent/internal/documents"
	"panel/cmd/panel-agent/internal/part"
	"panel/platform/agentapi"
)

// Part is the manifest.
var Part = part.Part{
	Name:      "certificates",
	Documents: []agentapi.DocumentName{agentapi.DocumentCertificates},
	Open: func(env *part.Env) (*part.Live, error) {
		applied := documents.Document{Name: agentapi.DocumentCertificates, Apply: apply(env.Core)}
		return &part.Live{Documents: []documents.Document{applied}}, nil
	},
}

// shows is the core.
type shows interface {
	Certificates(ctx context.Context, wanted agentapi.Certificates) error
}

// apply hands certificates to the core. Those that cannot be used are refused as a whole, and what served before serves
// on.
func apply(core shows) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, content json.RawMessage) error {
		var wanted agentapi.Certificates
		if json.Unmarshal(content, &wanted) != nil { // its text would quote the content
			return documents.Refuse(errors.New("read the certificates: they are no JSON of the expected form"))
		}
		for _, one := range wanted.Certificates {
			if err := check(one); err != nil {
				return documents.Refuse(err)
			}
		}
		return core.Certificates(ctx, wanted)
	}
}

// check sees whether a certificate fits its key and its host name. When it is valid is not asked: the clock of a node
// may be wrong, and clients judge by theirs.
func check(one agentapi.HostCertificate) error {
	pair, err := tls.X509KeyPair([]byte(one.Chain), []byte(one.Key))
	if err != nil {
		return fmt.Errorf("use the certificate of %s: it does not belong to its key, or cannot be read", one.Host)
	}
	if pair.Leaf.VerifyHostname(one.Host) != nil {
		return fmt.Errorf("use the certificate of %s: it is for other names", one.Host)
	}
	return nil
}
