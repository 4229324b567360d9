package cloud

import (
	"context"
	"net/http"
	"slices"
	"strconv"
)

// images are the systems that have cloud-init.
func (v *vultr) images(ctx context.Context) ([]Image, error) {
	without := []string{"windows", "iso", "snapshot", "backup", "application", "coreos", "fedora-coreos"}
	return pages(v.rest, func(_ int, cursor string) ([]Image, string, error) {
		got, err := get[struct {
			OS []struct {
				ID     int64  `json:"id"`
				Name   string `json:"name"`
				Family string `json:"family"`
			} `json:"os"`
			Meta vultrMeta `json:"meta"`
		}](ctx, v.rest, "/os?per_page=500"+at(cursor))
		list := []Image{}
		for _, one := range got.OS {
			if !slices.Contains(without, one.Family) {
				list = append(list, Image{ID: strconv.FormatInt(one.ID, 10), Name: one.Name})
			}
		}
		return list, got.Meta.Links.Next, err
	})
}

func (v *vultr) create(ctx context.Context, want NewServer) (Made, error) {
	system, err := strconv.ParseInt(want.Image, 10, 64)
	if err != nil {
		return Made{}, &Problem{Service: v.kind.Title, Cause: Refused, Words: "the image is not the number of a system"}
	}
	got, err := post[struct {
		Instance vultrInstance `json:"instance"`
	}](ctx, v.rest, "/instances", map[string]any{
		"region": want.Region, "plan": want.Plan, "os_id": system, "label": want.Name, "hostname": want.Name,
		"tags": []string{want.Mark}, "enable_ipv6": true, "activation_email": false, "backups": "disabled",
		"user_data": encoded(want.Script),
	})
	if err != nil {
		return Made{}, err
	}
	return Made{Server: got.Instance.server(nil)}, nil
}

func (v *vultr) marked(ctx context.Context, mark string) ([]Server, error) {
	list, err := v.servers(ctx)
	return bearing(list, mark, err)
}

func (v *vultr) server(ctx context.Context, id string) (Server, error) {
	got, err := get[struct {
		Instance vultrInstance `json:"instance"`
	}](ctx, v.rest, "/instances/"+segment(id))
	return got.Instance.server(nil), err
}

func (v *vultr) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "start", PowerOff: "halt", Reboot: "reboot"}
	_, err := v.call(ctx, http.MethodPost, "/instances/"+segment(id)+"/"+words[act], nil, nil)
	return "", err
}

func (v *vultr) remove(ctx context.Context, id string) (string, error) {
	_, err := v.call(ctx, http.MethodDelete, "/instances/"+segment(id), nil, nil)
	return "", err
}
