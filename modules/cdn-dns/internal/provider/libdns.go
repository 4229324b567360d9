package provider

import (
	"context"
	"time"

	"github.com/libdns/libdns"
)

var _ Solver = (*Client)(nil)

// AppendRecords writes records beside those that are there. It is libdns.RecordAppender.
func (c *Client) AppendRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	into, err := c.driver.zone(ctx, Canonical(zone))
	if err != nil {
		return nil, asFault(err)
	}
	var done []libdns.Record
	for _, record := range records {
		wanted := ours(record.RR(), into)
		if _, err := c.Add(ctx, into, wanted); err != nil {
			return done, err
		}
		done = append(done, theirs(wanted, into))
	}
	return done, nil
}

// DeleteRecords takes away the records that are there. It is libdns.RecordDeleter; an empty type or value stands for
// all, and the TTL does not count.
func (c *Client) DeleteRecords(ctx context.Context, zone string, records []libdns.Record) ([]libdns.Record, error) {
	from, err := c.driver.zone(ctx, Canonical(zone))
	if err != nil {
		return nil, asFault(err)
	}
	var done []libdns.Record
	for _, record := range records {
		unwanted := ours(record.RR(), from)
		there, err := c.Records(ctx, from, unwanted.Name)
		if err != nil {
			return done, err
		}
		for _, r := range there {
			if unwanted.Type != "" && r.Type != unwanted.Type || unwanted.Value != "" && !sameValue(r, unwanted) {
				continue
			}
			if err := c.Remove(ctx, from, r); err != nil {
				return done, err
			}
			done = append(done, theirs(r, from))
		}
	}
	return done, nil
}

func ours(rr libdns.RR, zone Zone) Record {
	return Record{
		Name: absolute(rr.Name, zone.Name), Type: rr.Type, Value: rr.Data, TTL: int(rr.TTL / time.Second),
	}
}

// theirs is a record in the form of libdns; one that it cannot read stays as it is.
func theirs(r Record, zone Zone) libdns.Record {
	rr := libdns.RR{
		Name: relative(r.Name, zone.Name), Type: r.Type, Data: r.Value, TTL: time.Duration(r.TTL) * time.Second,
	}
	if parsed, err := rr.Parse(); err == nil {
		return parsed
	}
	return rr
}
