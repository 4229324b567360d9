package cloud

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// images are the distributions, which all have cloud-init.
func (d *digitalOcean) images(ctx context.Context) ([]Image, error) {
	return pages(d.rest, func(number int, _ string) ([]Image, string, error) {
		got, err := get[struct {
			Images []struct {
				Slug         string `json:"slug"`
				Name         string `json:"name"`
				Distribution string `json:"distribution"`
				Status       string `json:"status"`
			} `json:"images"`
			Links digitalOceanPages `json:"links"`
		}](ctx, d.rest, "/images?type=distribution&per_page=200&page="+strconv.Itoa(number))
		list := []Image{}
		for _, one := range got.Images {
			if one.Slug != "" && one.Status != "retired" && one.Status != "deleted" {
				list = append(list, Image{ID: one.Slug, Name: one.Distribution + " " + one.Name})
			}
		}
		return list, got.Links.next(number), err
	})
}

func (d *digitalOcean) create(ctx context.Context, want NewServer) (Made, error) {
	got, err := post[struct {
		Droplet droplet `json:"droplet"`
		Links   struct {
			Actions []struct {
				ID int64 `json:"id"`
			} `json:"actions"`
		} `json:"links"`
	}](ctx, d.rest, "/droplets", map[string]any{
		"name": want.Name, "region": want.Region, "size": want.Plan, "image": want.Image, "ipv6": true,
		"user_data": want.Script, "tags": []string{want.Mark},
	})
	if err != nil {
		return Made{}, err
	}
	made := Made{Server: got.Droplet.server()}
	if len(got.Links.Actions) > 0 {
		made.Action = strconv.FormatInt(got.Links.Actions[0].ID, 10)
	}
	return made, nil
}

func (d *digitalOcean) marked(ctx context.Context, mark string) ([]Server, error) {
	list, err := d.list(ctx, "&tag_name="+url.QueryEscape(mark))
	return bearing(list, mark, err)
}

func (d *digitalOcean) server(ctx context.Context, id string) (Server, error) {
	got, err := get[struct {
		Droplet droplet `json:"droplet"`
	}](ctx, d.rest, "/droplets/"+segment(id))
	return got.Droplet.server(), err
}

type digitalOceanAction struct {
	Action struct {
		ID     int64  `json:"id"`
		Status string `json:"status"`
	} `json:"action"`
}

func (d *digitalOcean) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "power_on", PowerOff: "power_off", Reboot: "reboot"}
	got, err := post[digitalOceanAction](ctx, d.rest, "/droplets/"+segment(id)+"/actions",
		map[string]string{"type": words[act]})
	return strconv.FormatInt(got.Action.ID, 10), err
}

func (d *digitalOcean) remove(ctx context.Context, id string) (string, error) {
	_, err := d.call(ctx, http.MethodDelete, "/droplets/"+segment(id), nil, nil)
	return "", err
}

func (d *digitalOcean) progress(ctx context.Context, action string) (Progress, error) {
	got, err := get[digitalOceanAction](ctx, d.rest, "/actions/"+segment(action))
	found := Progress{Done: got.Action.Status == "completed"}
	if got.Action.Status == "errored" {
		found.Failed = "the action failed"
	}
	return found, err
}
