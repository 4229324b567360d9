package remnawavetest

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// Names of the tables.
const (
	nodes    = "nodes"
	profiles = "config-profiles"
	hosts    = "hosts"
	squads   = "internal-squads"
	users    = "users"
)

func (r *request) text(name string) string { text, _ := r.body[name].(string); return text }

func (r *request) number(name string) float64 { number, _ := r.body[name].(float64); return number }

func (r *request) has(name string) bool { _, has := r.body[name]; return has }

func texts(list any) []string {
	found := []string{}
	switch list := list.(type) {
	case []string:
		return append(found, list...)
	case []any:
		for _, one := range list {
			if text, is := one.(string); is {
				found = append(found, text)
			}
		}
	}
	return found
}

// row finds a row whose field has a value; nil where there is none.
func (p *Panel) row(table, field string, value any) object {
	for _, one := range p.tables[table] {
		if one[field] == value {
			return one
		}
	}
	return nil
}

func (p *Panel) add(table string, row object) object {
	p.tables[table] = append(p.tables[table], row)
	return row
}

func (p *Panel) drop(table string, row object) {
	p.tables[table] = slices.DeleteFunc(p.tables[table], func(one object) bool { return sameRow(one, row) })
}

func sameRow(a, b object) bool {
	return cmp.Or(a["uuid"], a["id"]) == cmp.Or(b["uuid"], b["id"])
}

// taken says whether another row has the value.
func (p *Panel) taken(table, field string, value any, except object) bool {
	there := p.row(table, field, value)
	return there != nil && (except == nil || !sameRow(there, except))
}

// apply writes what the body gives of the fields.
func apply(row object, r *request, fields ...string) {
	for _, name := range fields {
		if value, has := r.body[name]; has {
			row[name] = value
		}
	}
}

// badID is the refusal of a path whose id is none.
func badID(r *request, name string) (answer, bool) {
	if uuid.Validate(r.path[name]) != nil {
		return invalid(name), true
	}
	return answer{}, false
}

// Dump is all that the panel holds, to compare what was there before with what is there after.
func (p *Panel) Dump() map[string][]map[string]any {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.settle()
	all := map[string][]object{}
	for table, rows := range p.tables {
		for _, row := range rows {
			all[table] = append(all[table], maps.Clone(row))
		}
	}
	return all
}
