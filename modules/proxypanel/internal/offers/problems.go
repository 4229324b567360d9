package offers

import (
	"errors"
	"fmt"

	"panel/modules/proxypanel/internal/remnawave"
)

// Changed is what somebody else has changed at a proxy panel since it was written; it is not overwritten.
type Changed struct{ Connection, Kind, Name, How string }

func (c *Changed) Error() string {
	return fmt.Sprintf("at the proxy panel %s the %s %s %s; look at what differs and overwrite it or take it over",
		c.Connection, c.Kind, c.Name, c.How)
}

// Missing is what an offer needs and the proxy panel does not have.
type Missing struct{ Connection, Kind, Name string }

func (m *Missing) Error() string {
	return fmt.Sprintf("the proxy panel %s has no %s %s any more", m.Connection, m.Kind, m.Name)
}

// met tells at which call of which proxy panel something failed, with the reason that it gave.
func (p *pass) met(err error, doing string) error {
	if err == nil {
		return nil
	}
	var problem *remnawave.Problem
	if errors.As(err, &problem) && problem.Detail != "" {
		return fmt.Errorf("%s at the proxy panel %s: %w: %s", doing, p.at.Label, err, problem.Detail)
	}
	return fmt.Errorf("%s at the proxy panel %s: %w", doing, p.at.Label, err)
}
