package foreign

import "panel/platform/pattern"

var subscription = pattern.Of(`^[A-Za-z0-9_-]{12,128}$`)

// Unguessed reports whether what a subscription URL ends with can be kept: nobody finds it by trying, where
// its twelve letters or more were drawn at random.
func Unguessed(subscriptionID string) bool { return subscription().MatchString(subscriptionID) }

// TakeSubscription gives a client the subscription that its programs have. One that could be guessed is left out, and
// that is noted.
func (c *Config) TakeSubscription(one *Client, id, path, entry string) {
	switch {
	case id == "":
	case Unguessed(id):
		one.Subscription = id
	default:
		c.Note(path, SubscriptionWeak, entry, one.Label)
	}
}

// Joins reports whether two clients of different names are one person: they have one subscription, and nothing that
// holds for one of them alone.
func (c *Client) Joins(other *Client) bool {
	sameEnd := c.ExpiresAt == other.ExpiresAt ||
		c.ExpiresAt != nil && other.ExpiresAt != nil && c.ExpiresAt.Equal(*other.ExpiresAt)
	return c.Subscription != "" && c.Subscription == other.Subscription && sameEnd &&
		c.Disabled == other.Disabled && c.LastsDays == other.LastsDays && c.Addresses == other.Addresses &&
		(c.Quota > 0) == (other.Quota > 0) && c.Reset == other.Reset
}

// NoteShared notes the clients whose subscription stays with another one: of two in one entry, and of two that do not
// join.
func (c *Config) NoteShared() {
	type holder struct {
		client *Client
		entry  string
	}
	first := map[string]holder{}
	for i := range c.Entries {
		e := &c.Entries[i]
		for j := range e.Clients {
			one := &e.Clients[j]
			if one.Subscription == "" {
				continue
			}
			had, known := first[one.Subscription]
			if !known {
				first[one.Subscription] = holder{one, e.Key}
				continue
			}
			if had.entry == e.Key || had.client.Label != one.Label && !had.client.Joins(one) {
				c.Note("", SubscriptionBoth, e.Key, one.Label)
			}
		}
	}
}
