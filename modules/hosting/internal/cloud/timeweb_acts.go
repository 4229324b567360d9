package cloud

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// images are the systems that have cloud-init.
func (t *timeweb) images(ctx context.Context) ([]Image, error) {
	with := []string{"debian", "ubuntu", "centos", "fedora"}
	got, err := get[struct {
		Systems []struct {
			ID      int64  `json:"id"`
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"servers_os"`
	}](ctx, t.rest, "/v1/os/servers")
	list := []Image{}
	for _, one := range got.Systems {
		if slices.Contains(with, one.Name) {
			name := strings.ToUpper(one.Name[:1]) + one.Name[1:] + " " + one.Version
			list = append(list, Image{ID: strconv.FormatInt(one.ID, 10), Name: name})
		}
	}
	return list, err
}

type timewebMade struct {
	Server timewebServer `json:"server"`
}

// create names no region: the plan has one.
func (t *timeweb) create(ctx context.Context, want NewServer) (Made, error) {
	system, errImage := strconv.ParseInt(want.Image, 10, 64)
	preset, errPlan := strconv.ParseInt(want.Plan, 10, 64)
	if errImage != nil || errPlan != nil {
		return Made{}, &Problem{
			Service: t.kind.Title, Cause: Refused, Words: "the plan or the image is not the number of one",
		}
	}
	got, err := post[timewebMade](ctx, t.rest, "/v1/servers", map[string]any{
		"name": want.Name, "hostname": want.Name, "comment": want.Mark, "preset_id": preset, "os_id": system,
		"cloud_init": want.Script,
	})
	if err != nil {
		return Made{}, err
	}
	return Made{Server: got.Server.server(nil)}, nil
}

func (t *timeweb) marked(ctx context.Context, mark string) ([]Server, error) {
	list, err := t.servers(ctx)
	return bearing(list, mark, err)
}

func (t *timeweb) server(ctx context.Context, id string) (Server, error) {
	got, err := get[timewebMade](ctx, t.rest, "/v1/servers/"+segment(id))
	if err == nil && got.Server.Status == removed {
		err = &Problem{Service: t.kind.Title, Cause: NotFound, Status: http.StatusNotFound, Words: "it was removed"}
	}
	return got.Server.server(nil), err
}

func (t *timeweb) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "start", PowerOff: "hard-shutdown", Reboot: "reboot"}
	_, err := t.call(ctx, http.MethodPost, "/v1/servers/"+segment(id)+"/"+words[act], nil, nil)
	return "", err
}

// remove fails where a deletion must be confirmed by a code, which only a person gets: the token lacks its right.
func (t *timeweb) remove(ctx context.Context, id string) (string, error) {
	var got struct {
		Delete struct {
			Hash  string `json:"hash"`
			Moved bool   `json:"is_moved_in_quarantine"`
		} `json:"server_delete"`
	}
	_, err := t.call(ctx, http.MethodDelete, "/v1/servers/"+segment(id), nil, &got)
	if err == nil && got.Delete.Hash != "" && !got.Delete.Moved {
		err = &Problem{
			Service: t.kind.Title, Cause: RightMissing, Status: http.StatusOK, Missing: []string{mayDelete},
			Words: "the account wants a deletion confirmed by a code",
		}
	}
	return "", err
}
