package cloud

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strconv"
)

// images are those that have cloud-init.
func (l *linode) images(ctx context.Context) ([]Image, error) {
	return pages(l.rest, func(number int, _ string) ([]Image, string, error) {
		got, err := get[struct {
			Data []struct {
				ID           string   `json:"id"`
				Label        string   `json:"label"`
				Public       bool     `json:"is_public"`
				Deprecated   bool     `json:"deprecated"`
				Capabilities []string `json:"capabilities"`
			} `json:"data"`
			linodePages
		}](ctx, l.rest, "/images?page_size=500&page="+strconv.Itoa(number))
		list := []Image{}
		for _, one := range got.Data {
			if one.Public && !one.Deprecated && slices.Contains(one.Capabilities, "cloud-init") {
				list = append(list, Image{ID: one.ID, Name: one.Label})
			}
		}
		return list, got.next(), err
	})
}

// create gives the root account a password that nobody knows: Linode wants one, and the agent needs none.
func (l *linode) create(ctx context.Context, want NewServer) (Made, error) {
	got, err := post[linodeInstance](ctx, l.rest, "/linode/instances", map[string]any{
		"region": want.Region, "type": want.Plan, "image": want.Image, "label": want.Name,
		"tags": []string{want.Mark}, "booted": true, "root_pass": rand.Text() + rand.Text(),
		"metadata": map[string]string{"user_data": encoded(want.Script)},
	})
	if err != nil {
		return Made{}, err
	}
	return Made{Server: got.server(noPrice)}, nil
}

func noPrice(string, string) *Price { return nil }

func (l *linode) marked(ctx context.Context, mark string) ([]Server, error) {
	list, err := l.servers(ctx)
	return bearing(list, mark, err)
}

func (l *linode) server(ctx context.Context, id string) (Server, error) {
	got, err := get[linodeInstance](ctx, l.rest, "/linode/instances/"+segment(id))
	return got.server(noPrice), err
}

func (l *linode) power(ctx context.Context, id, act string) (string, error) {
	words := map[string]string{PowerOn: "boot", PowerOff: "shutdown", Reboot: "reboot"}
	_, err := l.call(ctx, http.MethodPost, "/linode/instances/"+segment(id)+"/"+words[act], struct{}{}, nil)
	return "", err
}

func (l *linode) remove(ctx context.Context, id string) (string, error) {
	_, err := l.call(ctx, http.MethodDelete, "/linode/instances/"+segment(id), nil, nil)
	return "", err
}
