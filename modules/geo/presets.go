package geo

// Kinds of files, and the names that the core looks for.
const (
	fileGeoIP   = "geoip"
	fileGeosite = "geosite"
	fileCustom  = "custom"
	fileMMDB    = "mmdb"

	presetCustom = "custom"

	nameGeoIP   = "geoip.dat"
	nameGeosite = "geosite.dat"
)

// presets are sources that publish a digest beside the file. The addresses are those that their projects name.
func presets() []Preset {
	const github = "https://github.com/"
	latest := func(preset, file, name, repository, published string) Preset {
		address := github + repository + "/releases/latest/download/" + published
		return Preset{
			Preset: preset, File: file, Name: name, SourceURL: address, ChecksumURL: address + ".sha256sum",
			NoteKey: "geo.note." + preset + "." + file,
		}
	}
	return []Preset{
		latest("v2fly", fileGeosite, nameGeosite, "v2fly/domain-list-community", "dlc.dat"),
		latest("v2fly", fileGeoIP, nameGeoIP, "v2fly/geoip", "geoip.dat"),
		latest("loyalsoldier", fileGeosite, nameGeosite, "Loyalsoldier/v2ray-rules-dat", "geosite.dat"),
		latest("loyalsoldier", fileGeoIP, nameGeoIP, "Loyalsoldier/v2ray-rules-dat", "geoip.dat"),
		latest("loyalsoldier", fileMMDB, "country.mmdb", "Loyalsoldier/geoip", "Country.mmdb"),
		latest("chocolate4u_ir", fileGeosite, nameGeosite, "Chocolate4U/Iran-v2ray-rules", "geosite.dat"),
		latest("chocolate4u_ir", fileGeoIP, nameGeoIP, "Chocolate4U/Iran-v2ray-rules", "geoip.dat"),
		latest("runetfreedom_ru", fileGeosite, nameGeosite, "runetfreedom/russia-v2ray-rules-dat", "geosite.dat"),
		latest("runetfreedom_ru", fileGeoIP, nameGeoIP, "runetfreedom/russia-v2ray-rules-dat", "geoip.dat"),
	}
}

// presetOf gives the source of a file that a preset has; false when it has none.
func presetOf(preset, file string) (Preset, bool) {
	for _, one := range presets() {
		if one.Preset == preset && one.File == file {
			return one, true
		}
	}
	return Preset{}, false
}
