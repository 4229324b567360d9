package cloud

import (
	"context"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Acts on the power of a server.
const (
	PowerOn  = "on"
	PowerOff = "off"
	Reboot   = "reboot"
)

// Image is a system that a server can begin with.
type Image struct {
	ID   string `json:"id" doc:"As the provider calls it"`
	Name string `json:"name"`
}

// NewServer is a server that is to be made.
type NewServer struct {
	Name   string
	Region string
	Plan   string
	Image  string
	// Mark is written on the server at its provider and finds it there again, whatever became of the answer.
	Mark string
	// Script is what the server runs as root when it starts for the first time.
	Script string
}

// Made is what a provider has begun.
type Made struct {
	Server Server // as far as it is known already
	Action string // to follow by Action; empty where the provider has none
}

// Progress is how far an action of a provider is.
type Progress struct {
	Done   bool
	Failed string // why it failed, in the provider's words; empty: it did not
}

// maker is the part of a driver that changes something at the provider. What it sends is sent once: a *Problem with
// Sent says that the call may have had an effect.
type maker interface {
	// images lists the systems that cloud-init of which runs a script.
	images(ctx context.Context) ([]Image, error)
	create(ctx context.Context, want NewServer) (Made, error)
	// marked lists the servers with a mark.
	marked(ctx context.Context, mark string) ([]Server, error)
	// server gives one; a *Problem with NotFound when it is gone.
	server(ctx context.Context, id string) (Server, error)
	// power and remove give the action to follow, empty where the provider has none.
	power(ctx context.Context, id, act string) (action string, err error)
	remove(ctx context.Context, id string) (action string, err error)
	progress(ctx context.Context, action string) (Progress, error)
}

// markPrefix begins every mark, so that people see at the provider where a server came from.
const markPrefix = "panel-order-"

// Mark is what is written on the server of an order.
func Mark(orderID string) string { return markPrefix + orderID }

// OrderOf is the order that a tag of a server names; empty for another tag.
func OrderOf(tag string) string {
	id, found := strings.CutPrefix(tag, markPrefix)
	if !found {
		return ""
	}
	return id
}

// Images lists the systems that a server can begin with.
func (c *Client) Images(ctx context.Context) ([]Image, error) { return c.driver.images(ctx) }

// Create asks for a server, once.
func (c *Client) Create(ctx context.Context, want NewServer) (Made, error) {
	return c.driver.create(ctx, want)
}

// Marked lists the servers with a mark.
func (c *Client) Marked(ctx context.Context, mark string) ([]Server, error) {
	return c.driver.marked(ctx, mark)
}

// Server gives one server. Error: *Problem with NotFound when it is gone.
func (c *Client) Server(ctx context.Context, id string) (Server, error) {
	return c.driver.server(ctx, id)
}

// Power switches a server, once.
func (c *Client) Power(ctx context.Context, id, act string) (action string, err error) {
	return c.driver.power(ctx, id, act)
}

// Remove deletes a server at its provider. Error: *Problem with NotFound when it is gone already.
func (c *Client) Remove(ctx context.Context, id string) (action string, err error) {
	return c.driver.remove(ctx, id)
}

// Progress tells how far an action is.
func (c *Client) Progress(ctx context.Context, action string) (Progress, error) {
	return c.driver.progress(ctx, action)
}

// noActions is of providers whose servers alone tell how far something is.
type noActions struct{}

func (noActions) progress(context.Context, string) (Progress, error) {
	return Progress{Done: true}, nil
}

// noMaking is of providers that have no way to let a server run a script when it starts for the first time, or none
// that tells the price before.
type noMaking struct{ of *Kind }

func (n noMaking) regions(context.Context) ([]Region, error) { return nil, NotAble(n.of) }

func (n noMaking) plans(context.Context, string) ([]Plan, error) { return nil, NotAble(n.of) }

func (n noMaking) images(context.Context) ([]Image, error) { return nil, NotAble(n.of) }

func (n noMaking) create(context.Context, NewServer) (Made, error) { return Made{}, NotAble(n.of) }

func (n noMaking) marked(context.Context, string) ([]Server, error) { return nil, NotAble(n.of) }

func encoded(script string) string { return base64.StdEncoding.EncodeToString([]byte(script)) }

// bearing keeps the servers with a mark, whatever the provider made of a filter.
func bearing(list []Server, mark string, err error) ([]Server, error) {
	found := []Server{}
	for i := range list {
		if slices.Contains(list[i].Tags, mark) {
			found = append(found, list[i])
		}
	}
	return found, err
}

// post sends something once and reads the answer.
func post[T any](ctx context.Context, r *rest, path string, in any) (out T, err error) {
	_, err = r.call(ctx, http.MethodPost, path, in, &out)
	return out, err
}

// segment is an id as a part of a path.
func segment(id string) string { return url.PathEscape(id) }
