package cloud

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
)

type hetznerAction struct {
	Action struct {
		ID     int64  `json:"id"`
		Status string `json:"status"`
		Error  *struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"action"`
}

func (a *hetznerAction) id() string { return strconv.FormatInt(a.Action.ID, 10) }

// images of the provider all have cloud-init. One name stands for the images of all architectures.
func (h *hetzner) images(ctx context.Context) ([]Image, error) {
	known := map[string]bool{}
	return pages(h.rest, func(number int, _ string) ([]Image, string, error) {
		got, err := get[struct {
			Images []struct {
				Name        string  `json:"name"`
				Description string  `json:"description"`
				Deprecated  *string `json:"deprecated"`
			} `json:"images"`
			Meta hetznerMeta `json:"meta"`
		}](ctx, h.rest, "/images?type=system&status=available&per_page=50&page="+strconv.Itoa(number))
		list := []Image{}
		for _, one := range got.Images {
			if one.Name != "" && one.Deprecated == nil && !known[one.Name] {
				known[one.Name] = true
				list = append(list, Image{ID: one.Name, Name: one.Description})
			}
		}
		return list, got.Meta.next(), err
	})
}

func (h *hetzner) create(ctx context.Context, want NewServer) (Made, error) {
	got, err := post[struct {
		Server hetznerServer `json:"server"`
		hetznerAction
	}](ctx, h.rest, "/servers", map[string]any{
		"name": want.Name, "server_type": want.Plan, "image": want.Image, "location": want.Region,
		"user_data": want.Script, "labels": map[string]string{want.Mark: ""}, "start_after_create": true,
	})
	if err != nil {
		return Made{}, err
	}
	return Made{Server: got.Server.server(), Action: got.id()}, nil
}

func (h *hetzner) marked(ctx context.Context, mark string) ([]Server, error) {
	list, err := h.list(ctx, "&label_selector="+url.QueryEscape(mark))
	return bearing(list, mark, err)
}

func (h *hetzner) server(ctx context.Context, id string) (Server, error) {
	got, err := get[struct {
		Server hetznerServer `json:"server"`
	}](ctx, h.rest, "/servers/"+segment(id))
	return got.Server.server(), err
}

// power switches off at once: a system that does not answer would let a shutdown have no end.
func (h *hetzner) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "poweron", PowerOff: "poweroff", Reboot: "reboot"}
	got, err := post[hetznerAction](ctx, h.rest, "/servers/"+segment(id)+"/actions/"+words[act], struct{}{})
	return got.id(), err
}

func (h *hetzner) remove(ctx context.Context, id string) (string, error) {
	var got hetznerAction
	_, err := h.call(ctx, http.MethodDelete, "/servers/"+segment(id), nil, &got)
	return got.id(), err
}

func (h *hetzner) progress(ctx context.Context, action string) (Progress, error) {
	got, err := get[hetznerAction](ctx, h.rest, "/actions/"+segment(action))
	found := Progress{Done: got.Action.Status == "success"}
	if got.Action.Status == "error" {
		found.Failed = "the action failed"
		if got.Action.Error != nil {
			found.Failed = h.clean(cmp.Or(got.Action.Error.Message, got.Action.Error.Code, found.Failed))
		}
	}
	return found, err
}
