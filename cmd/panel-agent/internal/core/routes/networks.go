package routes

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/xtls/xray-core/app/router"
)

// distinguish names lists of networks by their content, too. The core keeps each list by its name alone for as long as
// it lives: a newer list would count for nothing, and lists of two files with one name for one another.
func distinguish(config *router.Config) {
	for _, rule := range config.GetRule() {
		for _, lists := range [][]*router.GeoIP{rule.GetGeoip(), rule.GetSourceGeoip(), rule.GetLocalGeoip()} {
			for _, list := range lists {
				if list.GetCountryCode() != "" {
					list.CountryCode += " " + contentOf(list.GetCidr())
				}
			}
		}
	}
}

func contentOf(networks []*router.CIDR) string {
	sum := fnv.New128a()
	for _, network := range networks {
		_, _ = sum.Write(network.GetIp()) // never fails
		_, _ = sum.Write(binary.BigEndian.AppendUint32(nil, network.GetPrefix()))
	}
	return string(sum.Sum(nil))
}
