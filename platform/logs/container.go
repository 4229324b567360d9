package logs

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"panel/platform/doctor"
)

// Engine is a program that speaks to a container engine: docker, podman or kubectl.
type Engine struct {
	Program string
	pods    bool // speaks of pods in namespaces
}

// engines are those that this machine may have. kubectl is asked only where somebody configured it: without that it
// tries the port that the panel itself uses.
func engines(env doctor.Env) []Engine {
	known := []Engine{{Program: "docker"}, {Program: "podman"}}
	home := filepath.Join(env.Getenv("HOME"), ".kube", "config")
	if _, err := os.Stat(home); err == nil || env.Getenv("KUBECONFIG") != "" {
		known = append(known, Engine{Program: "kubectl", pods: true})
	}
	return known
}

// services are what the containers are called in compose files.
func servicesOf(component string) []string {
	if component == Nginx {
		return []string{"nginx", "panel-nginx"}
	}
	return []string{"panel", "panel-backend", "backend"}
}

// container is one that runs a component.
type container struct {
	engine    Engine
	target    []string // how the engine's command for logs names it
	component string
}

func (p Places) container(ctx context.Context, q Query) (feed, Source, []doctor.Text) {
	var skipped []doctor.Text
	for _, engine := range p.Containers {
		if _, err := exec.LookPath(engine.Program); errors.Is(err, exec.ErrNotFound) {
			continue
		}
		target, name, err := engine.find(ctx, q.Component)
		if err != nil {
			skipped = append(skipped, doctor.Say("%s does not answer", filepath.Base(engine.Program)))
			continue
		}
		if name != "" {
			text := doctor.Say("container, %s", name)
			return &container{engine: engine, target: target, component: q.Component}, Source{
				Kind: "container",
				Name: name, Text: text,
			}, skipped
		}
	}
	if len(skipped) == 0 && len(p.Containers) > 0 {
		skipped = []doctor.Text{doctor.Say("no container found")}
	}
	return nil, Source{}, skipped
}

// find answers the newest container of the component; an engine that does not answer is an error.
func (e Engine) find(ctx context.Context, component string) (target []string, name string, err error) {
	if e.pods {
		return e.findPod(ctx, component)
	}
	for _, service := range servicesOf(component) {
		for _, filter := range []string{"label=com.docker.compose.service=" + service, "name=^/?" + service + "$"} {
			out, _, err := answerOf(ctx, e.Program, "ps", "--all", "--filter", filter, "--format",
				"{{.ID}}\t{{.Names}}")
			if err != nil {
				return nil, "", err
			}
			if id, name, found := strings.Cut(firstLine(out), "\t"); found {
				return []string{id}, name, nil
			}
		}
	}
	return nil, "", nil
}

func (e Engine) findPod(ctx context.Context, component string) (target []string, name string, err error) {
	label := "app.kubernetes.io/name=panel"
	if component == Nginx {
		label = "app.kubernetes.io/name=panel,app.kubernetes.io/component=nginx"
	}
	out, _, err := answerOf(ctx, e.Program, "get", "pods", "--all-namespaces", "--selector", label,
		"--request-timeout=3s",
		"--output", `jsonpath={range .items[*]}{.metadata.namespace}{"\t"}{.metadata.name}{"\n"}{end}`)
	if err != nil {
		return nil, "", err
	}
	namespace, pod, found := strings.Cut(firstLine(out), "\t")
	if !found {
		return nil, "", nil
	}
	return []string{"--namespace", namespace, pod}, namespace + "/" + pod, nil
}

// lines reads what is there, then follows from the moment of the last line; the engine's own stamps tell which is
// which.
func (c *container) lines(ctx context.Context, q Query) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var last time.Time
		kept, err := q.tailed(c.read(ctx, q, &last, c.past(q)...))
		if err != nil {
			yield(Line{}, err)
			return
		}
		for _, line := range q.past(kept) {
			if !yield(line, nil) {
				return
			}
		}
		if !q.Follow {
			return
		}
		seen := last
		for line, err := range c.read(ctx, q, &last, c.future(seen)...) {
			if err == nil && (!last.After(seen) || !q.wanted(line)) {
				continue
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

func (c *container) past(q Query) []string {
	var args []string
	if q.Tail > 0 && !q.narrow() {
		args = append(args, "--tail="+strconv.Itoa(q.Tail))
	}
	if !q.Since.IsZero() {
		args = append(args, c.since(q.Since))
	}
	return args
}

func (c *container) future(seen time.Time) []string {
	if seen.IsZero() {
		return []string{"--follow"}
	}
	return []string{"--follow", c.since(seen)}
}

func (c *container) since(at time.Time) string {
	if c.engine.pods {
		return "--since-time=" + at.UTC().Format(time.RFC3339)
	}
	return "--since=" + at.UTC().Format(time.RFC3339Nano)
}

// read streams lines and leaves the engine's stamp of each in at.
func (c *container) read(ctx context.Context, _ Query, at *time.Time, args ...string) iter.Seq2[Line, error] {
	command := append(append([]string{"logs", "--timestamps"}, args...), c.target...)
	return func(yield func(Line, error) bool) {
		for raw, err := range linesOf(ctx, true, c.engine.Program, command...) {
			stamp, text, _ := strings.Cut(raw, " ")
			when, wrong := time.Parse(time.RFC3339Nano, stamp)
			if wrong != nil {
				text, when = raw, *at
			}
			*at = when
			line := parse(text, "container", c.component)
			if line.Time.IsZero() {
				line.Time = when
			}
			if !yield(line, err) {
				return
			}
		}
	}
}
