package remnawave

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// MostUsers is how many users the panel gives at most for one question.
const MostUsers = 1000

// UserPage is a part of all users. Next is the cursor of the next part; empty: this was the last one.
type UserPage struct {
	Users []User
	Next  string
}

// Users gives at most size users behind a cursor; the first part is that of the empty one. A part that does not say
// whether another one follows, or names a user without an id, is an error. Error: *Problem.
func (c *Client) Users(ctx context.Context, cursor string, size int) (page UserPage, err error) {
	query := url.Values{"size": {strconv.Itoa(size)}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var given struct {
		Users []user  `json:"users"`
		Next  *string `json:"nextCursor"`
		More  *bool   `json:"hasMore"`
	}
	if _, err := c.call(ctx, http.MethodGet, "/users/stream?"+query.Encode(), nil, &given); err != nil {
		return page, err
	}
	broken := &Problem{Cause: AnswerUnreadable, Status: http.StatusOK, Detail: "the list of users is not whole"}
	switch {
	case given.Users == nil || given.More == nil:
		return page, broken
	case *given.More && (given.Next == nil || *given.Next == "" || *given.Next == cursor || len(given.Users) == 0):
		return page, broken
	case *given.More:
		page.Next = *given.Next
	}
	page.Users = make([]User, 0, len(given.Users))
	seen := make(map[int64]bool, len(given.Users))
	for i := range given.Users {
		one := given.Users[i].taken()
		if one.ID <= 0 {
			return UserPage{}, broken
		}
		if !seen[one.ID] {
			page.Users, seen[one.ID] = append(page.Users, one), true
		}
	}
	return page, nil
}

// User gives one user. Error: *Problem, of status 404 where there is none.
func (c *Client) User(ctx context.Context, id int64) (User, error) {
	return c.oneUser(ctx, http.MethodGet, "/users/"+strconv.FormatInt(id, 10), id)
}

// Codes of refusals that say that it is so already.
const (
	codeDisabled = "A029"
	codeEnabled  = "A030"
)

// DisableUser takes a user off all nodes. Error: *Problem; that it is disabled already is none.
func (c *Client) DisableUser(ctx context.Context, id int64) error {
	return c.switchUser(ctx, id, "disable", codeDisabled)
}

// EnableUser lets a user in again. Error: *Problem; that it is enabled already is none.
func (c *Client) EnableUser(ctx context.Context, id int64) error {
	return c.switchUser(ctx, id, "enable", codeEnabled)
}

func (c *Client) switchUser(ctx context.Context, id int64, to, already string) error {
	_, err := c.oneUser(ctx, http.MethodPost, "/users/"+strconv.FormatInt(id, 10)+"/actions/"+to, id)
	if Is(err, http.StatusBadRequest, already) {
		return nil
	}
	return err
}

// oneUser asks for something that answers with a user.
func (c *Client) oneUser(ctx context.Context, method, path string, id int64) (User, error) {
	var one user
	if _, err := c.call(ctx, method, path, nil, &one); err != nil {
		return User{}, err
	}
	if int64(one.ID) != id {
		return User{}, &Problem{Cause: AnswerUnreadable, Status: http.StatusOK, Detail: "it is another user"}
	}
	return one.taken(), nil
}

// user is what is read of a user; its credentials are not even read.
type user struct {
	ID       number      `json:"id"`
	Username line        `json:"username"`
	Status   line        `json:"status"`
	Tag      line        `json:"tag"`
	Limit    number      `json:"trafficLimitBytes"`
	Expires  moment      `json:"expireAt"`
	Made     moment      `json:"createdAt"`
	Squads   []reference `json:"activeInternalSquads"`
	Traffic  struct {
		Used     number `json:"usedTrafficBytes"`
		Lifetime number `json:"lifetimeUsedTrafficBytes"`
		Online   moment `json:"onlineAt"`
		Node     line   `json:"lastConnectedNodeUuid"`
	} `json:"userTraffic"`
}

func (u *user) taken() User {
	return User{
		ID: int64(u.ID), Username: string(u.Username), Status: string(u.Status), Tag: string(u.Tag),
		TrafficLimit: int64(u.Limit), TrafficUsed: int64(u.Traffic.Used), LifetimeUsed: int64(u.Traffic.Lifetime),
		ExpiresAt: u.Expires.at, OnlineAt: u.Traffic.Online.at, LastNodeID: idOf(u.Traffic.Node), MadeAt: u.Made.at,
		Squads: idsOf(u.Squads),
	}
}
