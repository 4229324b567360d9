package cli

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
)

// All reads a list of the API to its end, page by page; it is never nil. Path may have a query of its own. The failures
// are those of Get.
func All[T any](ctx context.Context, c *Client, path string) ([]T, error) {
	const pageSize = "200"
	all, between := []T{}, "?"
	if strings.Contains(path, "?") {
		between = "&"
	}
	query := url.Values{"limit": {pageSize}}
	for {
		var page struct {
			Items []T     `json:"items"`
			Next  *string `json:"next_cursor"`
		}
		if err := c.Get(ctx, path+between+query.Encode(), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Next == nil {
			return all, nil
		}
		query.Set("cursor", *page.Next)
	}
}

// IDOf gives the id of what a command line names. An id is taken as it is; for a name, path lists with ?q= what has it
// in its own, and identify gives the id and the name of each. Failures: those of Get, and none where nothing has the
// name.
func IDOf[T any](
	ctx context.Context, c *Client, path, named string, identify func(T) (id, name string), none Message,
) (string, error) {
	if uuid.Validate(named) == nil {
		return named, nil
	}
	found, err := All[T](ctx, c, path+"?q="+url.QueryEscape(named))
	if err != nil {
		return "", err
	}
	for _, one := range found {
		if id, name := identify(one); strings.EqualFold(name, named) {
			return id, nil
		}
	}
	return "", Failed(none)
}

// Listing is what a list prints with --json.
type Listing[T any] struct {
	Schema string `json:"schema"`
	Items  []T    `json:"items"`
}

// PrintAll prints items as a list: in JSON whole under the schema, else a row of cells for each.
func PrintAll[T any](env Env, schema string, items []T, heads []string, cells func(T) []string) error {
	rows := make([][]string, len(items))
	for i, one := range items {
		rows[i] = cells(one)
	}
	return env.List(Listing[T]{Schema: schema, Items: items}, heads, rows)
}

// Asked is the address of a list that is narrowed down by what flags say; those that say nothing are left out.
func Asked(path string, filters map[string]string) string {
	query := url.Values{}
	for name, value := range filters {
		if value != "" {
			query.Set(name, value)
		}
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

// ListAll reads a list of the API to its end and prints it. The failures are those of Get.
func ListAll[T any](ctx context.Context, env Env, schema, path string, heads []string, cells func(T) []string) error {
	client, err := env.Client()
	if err != nil {
		return err
	}
	found, err := All[T](ctx, client, path)
	if err != nil {
		return err
	}
	return PrintAll(env, schema, found, heads, cells)
}

// Stamp is a moment in a list, the same in every form; "-" when there is none.
func Stamp(at *time.Time) string {
	if at == nil {
		return "-"
	}
	return at.UTC().Format(time.RFC3339)
}

// OrDash is a text in a list, where an empty cell would shift the columns of a script.
func OrDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
