package agentapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// DocumentName names one of the documents that an agent holds. The list is closed; each document has revisions of its
// own and is fetched, stored and applied without the others.
type DocumentName string

// Names of documents. DocumentConfig is a NodeConfig and has its own route, its own result and an apply in phases.
const (
	DocumentConfig     DocumentName = "config"     // what the core serves
	DocumentClients    DocumentName = "clients"    // who may use the flows of the node
	DocumentWatches    DocumentName = "watches"    // what the agent checks by itself
	DocumentPools      DocumentName = "pools"      // members of transit pools and their weights
	DocumentAssets     DocumentName = "assets"     // files that the node holds, by digest
	DocumentChallenges DocumentName = "challenges" // answers to certificate authorities
	DocumentBlocks     DocumentName = "blocks"     // Blocks: addresses that the node does not serve

	DocumentCertificates DocumentName = "certificates" // Certificates: what the listeners with TLS show
	DocumentShares       DocumentName = "shares"       // Shares: what clients may use of their quotas on the node
	DocumentClientLists  DocumentName = "client_lists" // ClientLists: in place of clients, for who asks what has changed
	DocumentAbuse        DocumentName = "abuse"        // AbuseWatch: what the agent looks for among the sessions of users
	DocumentSite         DocumentName = "site"         // Site: the status page that the agent serves
)

// DocumentNames is the closed list.
var DocumentNames = []DocumentName{
	DocumentConfig, DocumentClients, DocumentWatches, DocumentPools, DocumentAssets, DocumentChallenges, DocumentBlocks,
	DocumentCertificates, DocumentShares, DocumentClientLists, DocumentAbuse, DocumentSite,
}

// MaxDocument is the largest content of a document in bytes: the clients of a node are the largest, 100,000 of them.
const MaxDocument = 15 << 20

// Known reports whether the list has the name.
func (n DocumentName) Known() bool { return slices.Contains(DocumentNames, n) }

// Capability is what an agent names that holds the document.
func (n DocumentName) Capability() Capability {
	if n == DocumentConfig {
		return CanApply
	}
	return Capability("document_" + n)
}

// DocumentRef names the revision of a document that the agent shall hold. The panel names only documents that it has
// set; of all others the agent keeps what it has.
type DocumentRef struct {
	Name     DocumentName `json:"name" doc:"Name of the document"`
	Revision int64        `json:"revision" doc:"Rising number of this document on this node"`
	Hash     string       `json:"hash" doc:"HashContent of it"`
}

// Document is one revision with its content.
type Document struct {
	DocumentRef
	Content json.RawMessage `json:"content" doc:"JSON; its form belongs to the name"`
}

// Verify fails when the content is not what the hash says.
func (d Document) Verify() error {
	hash, err := d.hash()
	if err != nil {
		return err
	}
	if hash != d.Hash {
		return fmt.Errorf("verify the document %s: its content is not what its hash says", d.Name)
	}
	return nil
}

func (d Document) hash() (string, error) {
	if d.Name != DocumentConfig {
		return HashContent(d.Content)
	}
	var config NodeConfig
	if err := json.Unmarshal(d.Content, &config); err != nil {
		return "", fmt.Errorf("hash the document %s: %w", d.Name, err)
	}
	return config.ContentHash()
}

// HashContent is the hex SHA-256 over the canonical form of a document's content. It fails for what is no JSON.
func HashContent(content json.RawMessage) (string, error) {
	canonical, err := Canonical(content)
	if err != nil {
		return "", fmt.Errorf("hash a document: %w", err)
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// DocumentStatus is what an agent says about one document in its heartbeats.
type DocumentStatus struct {
	Name           DocumentName `json:"name" doc:"Name of the document"`
	Revision       int64        `json:"revision" doc:"Revision in force; 0 = none yet"`
	Hash           string       `json:"hash,omitempty" doc:"Its hash"`
	FailedRevision int64        `json:"failed_revision,omitempty" doc:"Newer revision that could not be applied; the one in force stays"`
	Error          string       `json:"error,omitempty" doc:"Why it could not"`
}
