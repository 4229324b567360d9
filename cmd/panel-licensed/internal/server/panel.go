package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"panel/cmd/panel-licensed/internal/authority"
	"panel/platform/licensedoc"
)

type decide func(licensedoc.Request) (string, licensedoc.Document, error)

// verdict answers 200 for a good and for a bad verdict alike: both are signed.
func (s *Server) verdict(what string, ask decide) func(*http.Request) (int, any, error) {
	return func(r *http.Request) (int, any, error) {
		request, err := s.question(r)
		if err != nil {
			return 0, nil, err
		}
		text, document, err := ask(request)
		if err != nil {
			return 0, nil, err
		}
		if document.Reason == licensedoc.ReasonUnknownKey {
			s.guesses.count(address(r))
		}
		s.log.Info("verdict", "of", what, "license", document.LicenseID, "installation", document.InstanceID,
			"verdict", document.Verdict, "reason", document.Reason)
		return http.StatusOK, licensedoc.Reply{Document: text}, nil
	}
}

func (s *Server) release(r *http.Request) (int, any, error) {
	request, err := s.question(r)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusNoContent, nil, s.authority.Release(request)
}

func (s *Server) question(r *http.Request) (request licensedoc.Request, err error) {
	if s.guesses.exhausted(address(r)) {
		return request, errWait
	}
	return request, read(r, &request)
}

func (s *Server) publicKey(*http.Request) (int, any, error) {
	key, err := s.authority.PublicKey()
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, PublicKey{key.ID(), key.String()}, nil
}

// PublicKey is the key that panels check documents with.
type PublicKey struct {
	KeyID     string `json:"key_id"`
	PublicKey string `json:"public_key"`
}

func (s *Server) health(*http.Request) (int, any, error) {
	return http.StatusOK, map[string]string{"status": "ok"}, nil
}

func read(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return err
	case err != nil:
		return fmt.Errorf("%w: the body is not the expected JSON", authority.ErrRequest)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: the body goes on after its JSON", authority.ErrRequest)
	}
	return nil
}
