package remnawavetest

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// answer is one of the shapes that the API answers in.
type answer struct {
	status int
	body   any
}

// ok is 200 with a response, made is 201, queued 202 and done 204, both without a body.
func ok(body any) answer   { return answer{http.StatusOK, object{"response": body}} }
func made(body any) answer { return answer{http.StatusCreated, object{"response": body}} }
func queued() answer       { return answer{http.StatusAccepted, nil} }
func done() answer         { return answer{http.StatusNoContent, nil} }

// domain is a refusal with one of the panel's own codes.
func domain(status int, code, message string) answer {
	return answer{status, object{"errorCode": code, "message": message}}
}

// invalid is a refusal of the validation: each path is a field, its parts joined by dots.
func invalid(paths ...string) answer {
	errors := make([]object, 0, len(paths))
	for _, path := range paths {
		errors = append(errors, object{"code": "invalid_type", "path": strings.Split(path, "."), "message": "Invalid input"})
	}
	return answer{
		http.StatusBadRequest,
		object{"statusCode": http.StatusBadRequest, "message": "Validation failed", "errors": errors},
	}
}

// framework is a refusal before any of the panel's own code runs.
func framework(status int, message string) answer {
	body := object{"message": message, "statusCode": status}
	if message != http.StatusText(status) {
		body["error"] = http.StatusText(status)
	}
	return answer{status, body}
}

func forbidden() answer    { return framework(http.StatusForbidden, "Forbidden resource") }
func unauthorized() answer { return framework(http.StatusUnauthorized, "Unauthorized") }

// stamp is a moment as the API writes it.
func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func (p *Panel) write(w http.ResponseWriter, r *http.Request, a answer) {
	now := p.now()
	w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
	if a.body == nil {
		w.WriteHeader(a.status)
		return
	}
	if body, is := a.body.(object); is && body["errorCode"] != nil {
		body["timestamp"], body["path"] = stamp(now), r.URL.Path
	}
	text, err := json.Marshal(a.body)
	p.must(err)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if r.Method == http.MethodGet && a.status == http.StatusOK {
		sum := sha256.Sum256(text)
		tag := fmt.Sprintf(`W/"%x-%s"`, len(text), base64.RawStdEncoding.EncodeToString(sum[:20]))
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(text)
}

// request is a call whose route is known.
type request struct {
	*http.Request
	path map[string]string
	body object
}

// route is an operation of the API. Scope names the endpoint as tokens do; read is its declared kind, not its verb.
type route struct {
	method, path, scope string
	read                bool
	handle              func(p *Panel, r *request) answer
}

// answer finds the operation, proves the caller and reads the body, in this order.
func (p *Panel) answer(r *http.Request) answer {
	var found *route
	asked := &request{Request: r}
	for _, one := range routes() {
		if values, matches := match(one.path, r.URL.Path); matches && one.method == r.Method {
			found, asked.path = &one, values
			break
		}
	}
	if found == nil {
		return framework(http.StatusNotFound, "Cannot "+r.Method+" "+r.URL.Path)
	}
	if refused := p.admit(found, r); refused.status != 0 {
		return refused
	}
	if text, err := io.ReadAll(r.Body); err != nil || len(text) > 0 && json.Unmarshal(text, &asked.body) != nil {
		return framework(http.StatusBadRequest, "Unexpected token in JSON")
	}
	return found.handle(p, asked)
}

// match compares a path with a pattern; a part in braces takes whatever stands there.
func match(pattern, path string) (map[string]string, bool) {
	wanted, there := strings.Split(pattern, "/"), strings.Split(strings.TrimPrefix(path, "/api/"), "/")
	if len(wanted) != len(there) || !strings.HasPrefix(path, "/api/") {
		return nil, false
	}
	values := map[string]string{}
	for i, part := range wanted {
		if name, is := strings.CutPrefix(part, "{"); is {
			values[strings.TrimSuffix(name, "}")] = there[i]
		} else if part != there[i] {
			return nil, false
		}
	}
	return values, true
}

// routes are all operations that the stand-in has.
func routes() (all []route) {
	for _, group := range [][]route{
		authRoutes(), systemRoutes(), nodeRoutes(), profileRoutes(), hostRoutes(), squadRoutes(), userRoutes(),
		connectionRoutes(),
	} {
		all = append(all, group...)
	}
	return all
}
