package cdntest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// YandexFolder is the folder that the account opens.
const YandexFolder = "b1gfolderofthetests"

// Yandex is a folder at Yandex Cloud with the services that a CDN needs, all at one address.
type Yandex struct {
	Root string
	Key  string // authorized key of the service account, as JSON

	calls
	public       *rsa.PublicKey
	tokens       map[string]bool
	resources    []*YandexResource
	groups       []*YandexGroup
	certificates []*YandexCertificate
	operations   map[string]int // questions until it is done
	next         int
	exchanged    int
}

// YandexResource is a CDN resource as the API writes it.
type YandexResource struct {
	ID             string            `json:"id"`
	FolderID       string            `json:"folderId"`
	Host           string            `json:"cname"`
	Active         bool              `json:"active"`
	Group          string            `json:"originGroupId"`
	OriginProtocol string            `json:"originProtocol"`
	Target         string            `json:"providerCname"`
	Labels         map[string]string `json:"labels"`
	SSL            map[string]any    `json:"sslCertificate"`
}

// YandexGroup is a group of origins.
type YandexGroup struct{ ID, Source string }

// YandexCertificate is one of the Certificate Manager.
type YandexCertificate struct {
	ID         string   `json:"id"`
	FolderID   string   `json:"folderId"`
	Name       string   `json:"name"`
	Domains    []string `json:"domains"`
	Status     string   `json:"status"`
	Challenges []any    `json:"challenges,omitempty"`
}

// NewYandex starts the stand-in; the name server is the one that it asks where host names lead.
func NewYandex(t testing.TB, nameServer string) *Yandex {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	text := "PLEASE DO NOT REMOVE THIS LINE! Yandex.Cloud SA Key ID <ajekey>\n" +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	file, err := json.MarshalIndent(map[string]string{
		"id": "ajekey", "service_account_id": "ajeaccount", "key_algorithm": "RSA_2048", "private_key": text,
	}, "", "  ")
	require.NoError(t, err)
	y := &Yandex{
		calls: calls{names: nameServer}, Key: string(file), public: &key.PublicKey, tokens: map[string]bool{},
		operations: map[string]int{},
	}
	server := httptest.NewServer(http.HandlerFunc(y.serve))
	t.Cleanup(server.Close)
	y.Root = server.URL
	return y
}

// Empty tells whether nothing is left in the folder.
func (y *Yandex) Empty() bool {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	return len(y.resources)+len(y.groups)+len(y.certificates) == 0
}

// Resources gives the CDN resources of the folder.
func (y *Yandex) Resources() (all []YandexResource) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for _, r := range y.resources {
		all = append(all, *r)
	}
	return all
}

// Certificates gives the certificates of the folder.
func (y *Yandex) Certificates() (all []YandexCertificate) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for _, c := range y.certificates {
		all = append(all, *c)
	}
	return all
}

// Sources gives the origins that resources fetch from.
func (y *Yandex) Sources() (all []string) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for _, g := range y.groups {
		all = append(all, g.Source)
	}
	return all
}

// Exchanged is how many tokens were given out.
func (y *Yandex) Exchanged() int {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	return y.exchanged
}

// Revoke ends all tokens; the key is good for new ones.
func (y *Yandex) Revoke() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	clear(y.tokens)
}

// Put adds a resource past whoever is tested.
func (y *Yandex) Put(host string) {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.resources = append(y.resources, &YandexResource{ID: y.id("bc8"), FolderID: YandexFolder, Host: host, Active: true})
}

func (y *Yandex) id(prefix string) string {
	y.next++
	return prefix + strconv.Itoa(y.next)
}

func grpc(w http.ResponseWriter, status, code int, message string) {
	give(w, status, map[string]any{"code": code, "message": message, "details": []any{}})
}

func (y *Yandex) serve(w http.ResponseWriter, r *http.Request) {
	if !y.enter(w, r) {
		return
	}
	defer y.mutex.Unlock()
	if r.URL.Path == "/iam/v1/tokens" {
		y.exchange(w, r)
		return
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !y.tokens[token] {
		grpc(w, http.StatusUnauthorized, 16, "The token is invalid")
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case parts[0] == "operations":
		y.operations[parts[1]]--
		give(w, http.StatusOK, map[string]any{"id": parts[1], "done": y.operations[parts[1]] <= 0})
	case parts[2] == "cname":
		give(w, http.StatusOK, map[string]any{"cname": "folder.topology.gslb.yccdn.ru", "folderId": parts[3]})
	case parts[2] == "resources":
		y.serveResources(w, r, parts[3:])
	case parts[2] == "originGroups":
		y.serveGroups(w, r, parts[3])
	case parts[2] == "certificates":
		y.serveCertificates(w, r, parts[3:])
	}
}

// exchange gives a token for a statement that the key of the account has signed.
func (y *Yandex) exchange(w http.ResponseWriter, r *http.Request) {
	statement, _ := taken(r)["jwt"].(string)
	now := time.Now() //nolint:forbidigo // the clock of the service
	if why := y.refuses(statement, now); why != "" {
		grpc(w, http.StatusUnauthorized, 16, why)
		return
	}
	y.exchanged++
	token := fmt.Sprintf("t1.token-%d-of-the-tests", y.exchanged)
	y.tokens[token] = true
	give(w, http.StatusOK, map[string]any{"iamToken": token, "expiresAt": now.Add(12 * time.Hour)})
}

func (y *Yandex) refuses(statement string, now time.Time) string {
	parts := strings.Split(statement, ".")
	if len(parts) != 3 {
		return "JWT is malformed"
	}
	var head struct{ Alg, Kid string }
	var claims struct {
		Iss, Aud string
		Iat, Exp int64
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	for part, into := range map[string]any{parts[0]: &head, parts[1]: &claims} {
		text, wrong := base64.RawURLEncoding.DecodeString(part)
		if wrong != nil || json.Unmarshal(text, into) != nil {
			return "JWT is malformed"
		}
	}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	options := &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash}
	switch {
	case err != nil || rsa.VerifyPSS(y.public, crypto.SHA256, sum[:], signature, options) != nil:
		return "JWT signature is invalid"
	case head.Alg != "PS256" || head.Kid != "ajekey" || claims.Iss != "ajeaccount":
		return "JWT is not of this service account"
	case claims.Aud != "https://iam.api.cloud.yandex.net/iam/v1/tokens" || claims.Exp-claims.Iat > 3600:
		return "JWT claims are invalid"
	case now.Unix() > claims.Exp || now.Add(10*time.Minute).Unix() < claims.Iat:
		return "JWT is expired or not valid yet"
	}
	return ""
}

// later answers as a write that is done after some questions.
func (y *Yandex) later(w http.ResponseWriter, questions int, metadata map[string]string) {
	id := y.id("op")
	y.operations[id] = questions
	give(w, http.StatusOK, map[string]any{"id": id, "done": questions == 0, "metadata": metadata})
}

func (y *Yandex) serveResources(w http.ResponseWriter, r *http.Request, rest []string) {
	if len(rest) == 0 {
		if r.Method == http.MethodPost {
			y.makeResource(w, r)
			return
		}
		paged(w, r, "resources", y.resources)
		return
	}
	at := slices.IndexFunc(y.resources, func(one *YandexResource) bool { return one.ID == rest[0] })
	if at < 0 {
		grpc(w, http.StatusNotFound, 5, "CDN resource not found")
		return
	}
	one := y.resources[at]
	switch r.Method {
	case http.MethodGet:
		give(w, http.StatusOK, one)
		if one.SSL["status"] == "CREATING" {
			one.SSL["status"] = "READY"
		}
	case http.MethodPatch:
		one.OriginProtocol, _ = taken(r)["originProtocol"].(string)
		y.later(w, 0, map[string]string{"resourceId": one.ID})
	case http.MethodDelete:
		y.resources = slices.Delete(y.resources, at, at+1)
		y.later(w, 1, map[string]string{"resourceId": one.ID})
	}
}

func (y *Yandex) makeResource(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		YandexResource
		Origin struct{ OriginSource string }
	}
	_ = json.NewDecoder(r.Body).Decode(&asked)
	one := asked.YandexResource
	switch {
	case one.FolderID != YandexFolder:
		grpc(w, http.StatusForbidden, 7, "Permission denied")
		return
	case slices.ContainsFunc(y.resources, func(other *YandexResource) bool { return other.Host == one.Host }):
		grpc(w, http.StatusConflict, 6, "A resource with this cname already exists")
		return
	}
	group := &YandexGroup{ID: strconv.Itoa(1000 + y.next), Source: asked.Origin.OriginSource}
	y.groups = append(y.groups, group)
	one.ID, one.Group, one.Target = y.id("bc8"), group.ID, "cl-"+group.ID+".edgecdn.ru"
	if one.SSL["type"] == "CM" {
		one.SSL["status"] = "CREATING"
	}
	y.resources = append(y.resources, &one)
	y.later(w, 0, map[string]string{"resourceId": one.ID})
}

func (y *Yandex) serveGroups(w http.ResponseWriter, r *http.Request, id string) {
	at := slices.IndexFunc(y.groups, func(g *YandexGroup) bool { return g.ID == id })
	used := slices.ContainsFunc(y.resources, func(one *YandexResource) bool { return one.Group == id })
	switch {
	case at < 0:
		grpc(w, http.StatusNotFound, 5, "Origin group not found")
	case r.Method == http.MethodDelete && used:
		grpc(w, http.StatusBadRequest, 9, "Origin group is in use")
	case r.Method == http.MethodDelete:
		y.groups = slices.Delete(y.groups, at, at+1)
		y.later(w, 0, nil)
	default:
		var asked struct{ Origins []struct{ Source string } }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		y.groups[at].Source = asked.Origins[0].Source
		y.later(w, 0, nil)
	}
}

func (y *Yandex) serveCertificates(w http.ResponseWriter, r *http.Request, rest []string) {
	switch {
	case len(rest) == 0:
		paged(w, r, "certificates", y.certificates)
		return
	case rest[0] == "requestNew":
		y.requestNew(w, r)
		return
	}
	at := slices.IndexFunc(y.certificates, func(c *YandexCertificate) bool { return c.ID == rest[0] })
	if at < 0 {
		grpc(w, http.StatusNotFound, 5, "Certificate not found")
		return
	}
	one := y.certificates[at]
	if r.Method == http.MethodDelete {
		if slices.ContainsFunc(y.resources, func(other *YandexResource) bool { return uses(other, one.ID) }) {
			grpc(w, http.StatusBadRequest, 9, "The certificate is in use")
			return
		}
		y.certificates = slices.Delete(y.certificates, at, at+1)
		y.later(w, 0, map[string]string{"certificateId": one.ID})
		return
	}
	shown := *one
	if one.Status == "VALIDATING" && y.leads("_acme-challenge."+one.Domains[0], one.ID+".cm.yandexcloud.net") {
		one.Status = "ISSUED"
	}
	if r.URL.Query().Get("view") == "FULL" {
		for _, kind := range []string{"CNAME", "TXT"} {
			shown.Challenges = append(shown.Challenges, map[string]any{
				"domain": one.Domains[0], "type": "DNS", "status": "PENDING", "dnsChallenge": map[string]string{
					"name": "_acme-challenge." + one.Domains[0] + ".", "type": kind, "value": one.ID + ".cm.yandexcloud.net.",
				},
			})
		}
	}
	give(w, http.StatusOK, shown)
}

func uses(r *YandexResource, certificate string) bool {
	data, _ := r.SSL["data"].(map[string]any)
	at, _ := data["cm"].(map[string]any)
	return at["id"] == certificate
}

func (y *Yandex) requestNew(w http.ResponseWriter, r *http.Request) {
	var one YandexCertificate
	_ = json.NewDecoder(r.Body).Decode(&one)
	if slices.ContainsFunc(y.certificates, func(c *YandexCertificate) bool { return c.Name == one.Name }) {
		grpc(w, http.StatusConflict, 6, "A certificate with this name already exists")
		return
	}
	one.ID, one.Status = y.id("fpq"), "VALIDATING"
	y.certificates = append(y.certificates, &one)
	y.later(w, 0, map[string]string{"certificateId": one.ID})
}

// paged gives two of a list at once, however many were asked for.
func paged[T any](w http.ResponseWriter, r *http.Request, member string, all []T) {
	const per = 2
	from, _ := strconv.Atoi(r.URL.Query().Get("pageToken"))
	to := min(from+per, len(all))
	body := map[string]any{member: append([]T{}, all[min(from, to):to]...)}
	if to < len(all) {
		body["nextPageToken"] = strconv.Itoa(to)
	}
	give(w, http.StatusOK, body)
}
