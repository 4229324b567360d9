package link

// former is the token before the last rotation. A panel that was restored from a backup made before it knows that one
// alone.
type former struct {
	token string
	keep  func(token, former string) error
}

// FallBack lets the client try the token before its own when the panel does not know its own, and go on with it where
// it is accepted. Keep makes both durable then.
func (c *Client) FallBack(token string, keep func(token, former string) error) {
	c.former.Store(&former{token: token, keep: keep})
}

// goBack makes the former token the one that is used. The other one stays the former: a panel that comes back in its
// newer state knows it.
func (c *Client) goBack(f *former, accepted bool) error {
	if !accepted {
		return nil
	}
	given := c.Token()
	if !c.former.CompareAndSwap(f, &former{token: given, keep: f.keep}) {
		return nil // another call was faster
	}
	c.token.Store(&f.token)
	return f.keep(f.token, given)
}
