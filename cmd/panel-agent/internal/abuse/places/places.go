// Package places says where addresses are and whose, by the databases that the panel has given the node among its geo
// files. Addresses never leave the node for that.
package places

import (
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/jonboulle/clockwork"
	"github.com/oschwald/maxminddb-golang/v2"
)

// Place is what databases know of an address; what none of them knows is empty.
type Place struct {
	ASN           int64
	Network       string // who runs it
	Country, City string // ISO 3166 code, and the English name
	Lat, Lon      float64
}

// readEvery is how long a new database may stay unnoticed.
const readEvery = time.Minute

// Places reads the databases of a folder. It is not safe for concurrent use.
type Places struct {
	dir   string
	clock clockwork.Clock
	until time.Time
	open  map[string]database
}

// database is an open file, and what it was when it was opened: another one takes its place under the same name.
type database struct {
	file   os.FileInfo
	reader *maxminddb.Reader
}

// In gives the places of a folder, which need not be there yet.
func In(dir string, clock clockwork.Clock) *Places {
	return &Places{dir: dir, clock: clock, open: map[string]database{}}
}

// record is what databases of countries, cities and networks say in the form of MaxMind.
type record struct {
	ASN     int64  `maxminddb:"autonomous_system_number"`
	Network string `maxminddb:"autonomous_system_organization"`
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	City struct {
		Names struct {
			English string `maxminddb:"en"`
		} `maxminddb:"names"`
	} `maxminddb:"city"`
	Location struct {
		Lat float64 `maxminddb:"latitude"`
		Lon float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
}

// Of says where an address is. One that nobody knows is in an empty place.
func (p *Places) Of(addr netip.Addr) (place Place) {
	if now := p.clock.Now(); !now.Before(p.until) {
		p.until = now.Add(readEvery)
		p.look()
	}
	for _, one := range p.open {
		var said record
		if addr.Is6() && one.reader.Metadata.IPVersion == 4 || one.reader.Lookup(addr).Decode(&said) != nil {
			continue
		}
		place.add(&said)
	}
	return place
}

// add takes what a database says of what no other has said.
func (p *Place) add(said *record) {
	if p.ASN == 0 {
		p.ASN, p.Network = said.ASN, said.Network
	}
	if p.Country == "" {
		p.Country = said.Country.Code
	}
	if p.City == "" {
		p.City, p.Lat, p.Lon = said.City.Names.English, said.Location.Lat, said.Location.Lon
	}
}

// look opens the databases that came and closes those that went. One that cannot be read is left out.
func (p *Places) look() {
	names, _ := filepath.Glob(filepath.Join(p.dir, "*.mmdb")) // the pattern is well formed
	there := map[string]database{}
	for _, name := range names {
		file, err := os.Stat(name)
		if err != nil {
			continue
		}
		if known, open := p.open[name]; open && os.SameFile(known.file, file) {
			there[name] = known
			continue
		}
		if reader, err := maxminddb.Open(name); err == nil {
			there[name] = database{file, reader}
		}
	}
	for name, known := range p.open {
		if there[name].reader != known.reader {
			_ = known.reader.Close() // it was only read
		}
	}
	p.open = there
}
