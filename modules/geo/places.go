package geo

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"
	"go.uber.org/zap"

	"panel/modules/geo/internal/dat"
	"panel/platform/places"
)

// atlas answers from the databases of places that the panel has. It is places.Source.
type atlas struct {
	service *service

	mu      sync.Mutex
	until   time.Time // when the list of databases is read again
	open    map[string]*maxminddb.Reader
	ordered []*maxminddb.Reader
}

// placesFor is how long a new database may stay unnoticed.
const placesFor = 10 * time.Second

func newAtlas(s *service) *atlas { return &atlas{service: s, open: map[string]*maxminddb.Reader{}} }

// Of gives the places of addresses; those that nobody knows are absent.
func (p *atlas) Of(ctx context.Context, addresses ...netip.Addr) map[netip.Addr]places.Place {
	out := map[netip.Addr]places.Place{}
	if len(addresses) == 0 {
		return out
	}
	readers := p.readers(ctx)
	for _, addr := range addresses {
		var place places.Place
		for _, r := range readers {
			fill(&place, r, addr.Unmap().WithZone(""))
		}
		if place != (places.Place{}) {
			out[addr] = place
		}
	}
	return out
}

func (p *atlas) of(ctx context.Context, addr netip.Addr) places.Place { return p.Of(ctx, addr)[addr] }

// record is what databases of countries, cities and networks say in the form of MaxMind.
type record struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	ASN  uint   `maxminddb:"autonomous_system_number"`
	Name string `maxminddb:"autonomous_system_organization"`
}

// fill adds what a database knows to what others knew before it.
func fill(place *places.Place, r *maxminddb.Reader, addr netip.Addr) {
	var said record
	if addr.Is6() && r.Metadata.IPVersion == 4 {
		return
	}
	if err := r.Lookup(addr).Decode(&said); err != nil {
		return
	}
	if place.Country == "" {
		place.Country = said.Country.Code
	}
	if place.ASN == 0 {
		place.ASN, place.Network = said.ASN, said.Name
	}
}

// readers gives the databases by the names of their assets. Those that cannot be read are left out.
func (p *atlas) readers(ctx context.Context) []*maxminddb.Reader {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.service.clock.Now().Before(p.until) {
		return p.ordered
	}
	var sums []string
	err := p.service.store.db.In(ctx).NewRaw(`select version from geo_assets
		where file = ? and version is not null order by name`, fileMMDB).Scan(ctx, &sums)
	if err != nil {
		return p.ordered
	}
	p.until = p.service.clock.Now().Add(placesFor)
	open, ordered := map[string]*maxminddb.Reader{}, []*maxminddb.Reader(nil)
	for _, sum := range sums {
		r := p.open[sum]
		if r == nil {
			if r, err = p.read(ctx, sum); err != nil {
				p.service.log.Warn("a database of places cannot be read", zap.String("sha256", sum), zap.Error(err))
				continue
			}
		}
		open[sum] = r
		ordered = append(ordered, r)
	}
	p.open, p.ordered = open, ordered
	return ordered
}

// read maps the copy on this panel's disk. The runtime unmaps it when nobody uses it any more.
func (p *atlas) read(ctx context.Context, sum string) (*maxminddb.Reader, error) {
	stored, _, err := p.service.files.Open(ctx, sum)
	if err != nil {
		return nil, err
	}
	defer stored.Close()
	file, onDisk := stored.(*os.File)
	if !onDisk {
		return nil, fmt.Errorf("read a database of places: this panel's disk has no room for it")
	}
	return maxminddb.Open(file.Name())
}

// inspectPlaces reads a database whole. Error: *dat.Refusal.
func inspectPlaces(file *fetched) (kind string, nodes int64, err error) {
	head := make([]byte, 1)
	if file.Size == 0 {
		return "", 0, refusal(dat.Empty, "the file has no bytes")
	}
	if _, err := file.ReadAt(head, 0); err == nil && head[0] == '<' {
		return "", 0, refusal(dat.HTML, "it begins like a page")
	}
	r, err := maxminddb.Open(fmt.Sprintf("/proc/self/fd/%d", file.Fd()))
	if err != nil {
		return "", 0, refusal(dat.NotGeoData, "it is no whole database of places: %v", err)
	}
	defer r.Close()
	if len(r.Metadata.Description) == 0 { // it is for people; the check alone insists on one
		r.Metadata.Description = map[string]string{"en": r.Metadata.DatabaseType}
	}
	if err := r.Verify(); err != nil {
		return "", 0, refusal(dat.Truncated, "the database of places is damaged: %v", err)
	}
	if r.Metadata.NodeCount == 0 {
		return "", 0, refusal(dat.Empty, "the database knows no address")
	}
	return strings.ToLower(r.Metadata.DatabaseType), int64(r.Metadata.NodeCount), nil
}
