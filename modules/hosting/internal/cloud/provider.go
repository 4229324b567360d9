// Package cloud speaks with hosting providers: small clients of one form for their public REST APIs.
//
// A kind declares what an account of it is opened with and what it can do (kinds.go); each has a file with its client.
// What a provider answers is brought into one shape here, so that nobody else knows a provider's words. A call that
// fails is a *Problem with a stable cause.
package cloud

import (
	"context"
	"time"
)

// States of a server.
const (
	Initializing = "initializing"
	Running      = "running"
	Off          = "off"
	Starting     = "starting"
	Stopping     = "stopping"
	Migrating    = "migrating"
	Rebuilding   = "rebuilding"
	Deleting     = "deleting"
	Unknown      = "unknown"
)

// Periods of a price.
const (
	Month = "month"
	Hour  = "hour"
	Year  = "year"
)

// Money is an amount in one currency.
type Money struct {
	Amount   int64  `json:"amount" doc:"In minor units, such as cents"`
	Currency string `json:"currency" doc:"ISO 4217"`
}

// Price is what something costs per period.
type Price struct {
	Amount   int64  `json:"amount" minimum:"0" maximum:"1000000000000" doc:"In minor units, such as cents"`
	Currency string `json:"currency" pattern:"^[A-Z]{3}$" doc:"ISO 4217"`
	Period   string `json:"period" enum:"hour,month,year"`
}

// Specs are the size of a server.
type Specs struct {
	VCPU int   `json:"vcpu" doc:"Virtual processors; 0: not known"`
	Mem  int64 `json:"mem" doc:"Memory in bytes; 0: not known"`
	Disk int64 `json:"disk" doc:"Disk in bytes; 0: not known"`
}

// Server is one machine as its provider tells it.
type Server struct {
	ID        string // the provider's
	Name      string
	Status    string
	Region    string
	Plan      string
	Specs     Specs
	IPv4      []string
	IPv6      []string
	Price     *Price // nil: the provider does not say
	Tags      []string
	NextDueAt *time.Time // nil: the provider does not say
}

// Region is a place where servers can be made.
type Region struct {
	ID      string `json:"id" doc:"As the provider calls it"`
	Name    string `json:"name"`
	Country string `json:"country" doc:"ISO 3166 code; empty: the provider does not say"`
}

// Plan is a size of servers with its price.
type Plan struct {
	ID      string   `json:"id" doc:"As the provider calls it"`
	Name    string   `json:"name"`
	Specs   Specs    `json:"specs"`
	Price   *Price   `json:"price" doc:"In the region that was asked for, else the usual one; null: the provider does not say"`
	Regions []string `json:"regions" doc:"Where it can be had; empty: the provider does not say"`
}

// Account is what a provider says of an account.
type Account struct {
	Balance    *Money   // what is left to spend; negative: it is owed; nil: the provider does not say
	ServersMax int      // 0: the provider does not say
	Missing    []string // rights that the credentials lack, in the provider's words
}

// driver is the client of one kind. Error of all calls: *Problem, or a fault of platform/outbound.
type driver interface {
	// account asks what the credentials may do and how the account stands.
	account(ctx context.Context) (Account, error)
	// servers lists all machines of the account, page by page.
	servers(ctx context.Context) ([]Server, error)
	// regions lists where machines can be made.
	regions(ctx context.Context) ([]Region, error)
	// plans lists sizes with what they cost in a region; without a region with the usual price.
	plans(ctx context.Context, region string) ([]Plan, error)
	maker
}

// Client is an opened account.
type Client struct {
	Kind   *Kind
	driver driver
}

// Look asks what the credentials may do and how the account stands.
func (c *Client) Look(ctx context.Context) (Account, error) { return c.driver.account(ctx) }

// Servers lists all machines of the account.
func (c *Client) Servers(ctx context.Context) ([]Server, error) { return c.driver.servers(ctx) }

// Regions lists where machines can be made.
func (c *Client) Regions(ctx context.Context) ([]Region, error) { return c.driver.regions(ctx) }

// Plans lists sizes with what they cost in a region; without a region with the usual price.
func (c *Client) Plans(ctx context.Context, region string) ([]Plan, error) {
	return c.driver.plans(ctx, region)
}
