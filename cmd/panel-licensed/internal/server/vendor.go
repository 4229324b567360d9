package server

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"panel/cmd/panel-licensed/internal/authority"
)

func (s *Server) vendor() []route {
	return []route{
		{"GET", "/admin/v1/licenses", s.list},
		{"POST", "/admin/v1/licenses", s.issue},
		{"POST", "/admin/v1/licenses/{id}/revoke", s.revoke},
		{"POST", "/admin/v1/licenses/{id}/extend", s.extend},
		{"DELETE", "/admin/v1/licenses/{id}/installations/{instance}", s.forget},
		{"POST", "/admin/v1/offline", s.offline},
		{"POST", "/admin/v1/rotate", s.rotate},
	}
}

func (s *Server) trusted(handle func(*http.Request) (int, any, error)) func(*http.Request) (int, any, error) {
	return func(r *http.Request) (int, any, error) {
		token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !found || subtle.ConstantTimeCompare([]byte(token), []byte(s.admin)) != 1 {
			return 0, nil, errToken
		}
		return handle(r)
	}
}

// Issued is the only answer that carries a key.
type Issued struct {
	authority.License
	Key string `json:"key"`
}

func (s *Server) issue(r *http.Request) (int, any, error) {
	var order authority.Order
	if err := read(r, &order); err != nil {
		return 0, nil, err
	}
	license, key, err := s.authority.Issue(order)
	if err != nil {
		return 0, nil, err
	}
	return http.StatusCreated, Issued{license, key.Reveal()}, nil
}

// Licenses is the answer of the list.
type Licenses struct {
	Items []authority.License `json:"items"`
}

func (s *Server) list(*http.Request) (int, any, error) {
	items, err := s.authority.List()
	return http.StatusOK, Licenses{items}, err
}

func (s *Server) revoke(r *http.Request) (int, any, error) {
	license, err := s.authority.Revoke(r.PathValue("id"))
	return http.StatusOK, license, err
}

func (s *Server) extend(r *http.Request) (int, any, error) {
	var body struct {
		ValidUntil time.Time `json:"valid_until"`
	}
	if err := read(r, &body); err != nil {
		return 0, nil, err
	}
	license, err := s.authority.Extend(r.PathValue("id"), body.ValidUntil)
	return http.StatusOK, license, err
}

func (s *Server) forget(r *http.Request) (int, any, error) {
	_, err := s.authority.Forget(r.PathValue("id"), r.PathValue("instance"))
	return http.StatusNoContent, nil, err
}

func (s *Server) offline(r *http.Request) (int, any, error) {
	var body struct {
		Key        string `json:"key"`
		InstanceID string `json:"instance_id"`
	}
	if err := read(r, &body); err != nil {
		return 0, nil, err
	}
	text, err := s.authority.Offline(body.Key, body.InstanceID)
	return http.StatusOK, map[string]string{"document": text}, err
}

func (s *Server) rotate(*http.Request) (int, any, error) {
	key, err := s.authority.Rotate()
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, PublicKey{key.ID(), key.String()}, nil
}
