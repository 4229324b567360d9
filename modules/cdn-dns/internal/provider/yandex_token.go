package provider

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// yandexKey is the authorized key of a service account, as the service gives it out.
type yandexKey struct {
	ID             string `json:"id"`
	ServiceAccount string `json:"service_account_id"`
	PrivateKey     string `json:"private_key"`

	signer *rsa.PrivateKey
}

var errYandexKey = errors.New("must be the JSON of an authorized key: id, service_account_id, private_key")

// readYandexKey reads what an operator has pasted. Its error repeats nothing of it.
func readYandexKey(text string) (*yandexKey, error) {
	var key yandexKey
	if json.Unmarshal([]byte(text), &key) != nil || key.ID == "" || key.ServiceAccount == "" {
		return nil, errYandexKey
	}
	// The service puts a line of words above the PEM.
	block, _ := pem.Decode([]byte(key.PrivateKey))
	if block == nil {
		return nil, errYandexKey
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errYandexKey
	}
	signer, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, errYandexKey
	}
	key.signer = signer
	return &key, nil
}

const yandexAudience = "https://iam.api.cloud.yandex.net/iam/v1/tokens"

// assertion is the signed statement that is exchanged for a token: a JWT by PS256, good for an hour.
func (k *yandexKey) assertion(now time.Time) (string, error) {
	head, errHead := json.Marshal(map[string]string{"typ": "JWT", "alg": "PS256", "kid": k.ID})
	claims, errClaims := json.Marshal(map[string]any{
		"iss": k.ServiceAccount, "aud": yandexAudience, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
	if err := errors.Join(errHead, errClaims); err != nil {
		return "", fmt.Errorf("write the statement for a token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(head) + "." + encode(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPSS(rand.Reader, k.signer, crypto.SHA256, sum[:],
		&rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: crypto.SHA256})
	if err != nil {
		return "", fmt.Errorf("sign the statement for a token: %w", err)
	}
	return text + "." + encode(signature), nil
}

// yandexTokens exchanges the key for tokens, and keeps each one until shortly before its end.
type yandexTokens struct {
	rest *rest
	key  *yandexKey
	now  func() time.Time

	mu    sync.Mutex
	token string
	until time.Time
}

const (
	earlier = 5 * time.Minute // than its end a token is exchanged
	longest = time.Hour       // that a token is used, whatever the service says of its end
)

func (y *yandexTokens) get(ctx context.Context) (string, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	now := y.now()
	if y.token != "" && now.Before(y.until) {
		return y.token, nil
	}
	statement, err := y.key.assertion(now)
	if err != nil {
		return "", err
	}
	var answer struct {
		Token   string    `json:"iamToken"`
		Expires time.Time `json:"expiresAt"`
	}
	err = y.rest.call(ctx, http.MethodPost, "/iam/v1/tokens", map[string]string{"jwt": statement}, &answer)
	if refusal := refusalOf(err); refusal != nil && refusal.Status == http.StatusBadRequest {
		refusal.Unknown = true
	}
	if err != nil {
		return "", err
	}
	y.token, y.until = answer.Token, now.Add(longest)
	if ends := answer.Expires.Add(-earlier); !answer.Expires.IsZero() && ends.Before(y.until) {
		y.until = ends
	}
	return y.token, nil
}

// drop forgets a token that is good for nothing any more.
func (y *yandexTokens) drop(token string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.token == token {
		y.token = ""
	}
}
