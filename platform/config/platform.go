package config

// The platform's own keys. Modules declare theirs in their manifests.
var (
	Port    = Key{Name: "PANEL_PORT", Default: "8080", Summary: "port of the panel", Form: Number, Min: 1, Max: 65535}
	Bind    = Key{Name: "PANEL_BIND", Default: "127.0.0.1", Summary: "address that the panel listens on", Form: Host}
	DataDir = Key{
		Name:    "PANEL_DATA_DIR",
		Summary: "folder for everything outside the database; /opt/panel/data if it exists, else ./data",
	}

	DBURL = Key{
		Name:    "PANEL_DB_URL",
		Summary: "address of a PostgreSQL 15 or newer; unset: a private one in the data folder", Secret: true,
	}
	DBMaxConns = Key{
		Name: "PANEL_DB_MAX_CONNS", Default: "20", Summary: "most connections to the database",
		Form: Number, Min: 4, Max: 1000,
	}
	PGBin = Key{Name: "PANEL_PG_BIN", Summary: "folder with the PostgreSQL programs for the private database"}

	SecretKey = Key{
		Name:    "PANEL_SECRET_KEY",
		Summary: "master key of the secret store; unset: made and kept in secret.key in the data folder", Secret: true,
		Min: 16,
	}
	SecretKeyPrevious = Key{
		Name:    "PANEL_SECRET_KEY_PREVIOUS",
		Summary: "earlier master keys, separated by commas, while secrets are sealed anew", Secret: true,
	}

	PublicURL = Key{
		Name:    "PANEL_PUBLIC_URL",
		Summary: "address of the panel as browsers and agents see it; unset: the bind address", Form: URL,
	}
	TrustedProxies = Key{
		Name: "PANEL_TRUSTED_PROXIES", Summary: "reverse proxies whose forwarded headers count",
		Form: Networks,
	}
	MaxConns     = Key{Name: "PANEL_MAX_CONNECTIONS", Default: "16384", Summary: "most connections of browsers and agents at a time; fewer where the process may not open as many files", Form: Number, Min: 64, Max: 1000000}
	MaxConnsEach = Key{
		Name: "PANEL_MAX_CONNECTIONS_PER_ADDRESS", Default: "512",
		Summary: "most connections from one address, trusted proxies and this machine excepted; 0: no bound",
		Form:    Number, Min: 0, Max: 1000000,
	}
	SetupToken = Key{
		Name: "PANEL_SETUP_TOKEN", Summary: "secret that the first installation asks for",
		Secret: true,
	}
	SessionTTL = Key{
		Name: "PANEL_SESSION_TTL_HOURS", Default: "12", Summary: "hours until an unused session ends",
		Form: Number, Min: 1, Max: 8760,
	}

	LogLevel = Key{
		Name: "PANEL_LOG_LEVEL", Default: "info", Summary: "least level that is logged",
		Form: OneOf("debug", "info", "warn", "error"),
	}
	LogFormat = Key{Name: "PANEL_LOG_FORMAT", Default: "json", Summary: "form of the log", Form: OneOf("json",
		"console")}

	AuditRetention = Key{
		Name: "PANEL_AUDIT_RETENTION_DAYS", Default: "365",
		Summary: "days that the journal is kept; 0: for ever", Form: Number, Min: 0, Max: 36500,
	}
	AgentHeartbeat = Key{
		Name: "PANEL_AGENT_HEARTBEAT_SECONDS", Default: "15",
		Summary: "seconds between two heartbeats of an agent", Form: Number, Min: 1, Max: 3600,
	}

	LicenseURLs = Key{
		Name: "PANEL_LICENSE_URLS", Summary: "license server in the order its addresses are tried",
		Form: URLs,
	}
	LicensePublicKey = Key{Name: "PANEL_LICENSE_PUBLIC_KEY", Summary: "key that license documents are verified with"}
	LicenseGrace     = Key{
		Name: "PANEL_LICENSE_GRACE_HOURS", Default: "72",
		Summary: "hours the license holds while its server cannot be reached", Form: Number, Min: 0, Max: 8760,
	}
	HTTPProxy = Key{
		Name: "PANEL_HTTP_PROXY", Summary: "proxy for the panel's own outgoing calls", Secret: true,
		Form: URL,
	}

	// MessengerAPIRoot is where modules that speak to the messenger find it; each of them names it in its manifest.
	MessengerAPIRoot = Key{
		Name: "PANEL_MESSENGER_API_ROOT", Default: "https://api.telegram.org", Form: URL,
		Summary: "address of the messenger's bot API, until one is chosen in the settings",
	}
	OutboundAllow = Key{
		Name: "PANEL_OUTBOUND_ALLOW", Form: Networks,
		Summary: "internal networks that outgoing calls may reach although they are loopback, link-local or private",
	}

	ProxypanelBootstrap = Key{
		Name: "PANEL_PROXYPANEL_BOOTSTRAP", Default: "false",
		Summary: "allows the proxy-panel step of the first installation", Form: Switch,
	}

	UpdateChannel = Key{
		Name: "PANEL_UPDATE_CHANNEL", Default: "stable",
		Summary: "channel of updates, until one is chosen in the settings", Form: OneOf("stable", "dev"),
	}
	UpdateURL  = Key{Name: "PANEL_UPDATE_URL", Summary: "address of the update manifest", Form: URL}
	SupportURL = Key{
		Name:    "PANEL_SUPPORT_URL",
		Summary: "address that takes support bundles; unset: uploading is hidden", Form: URL,
	}
	MetricsAddr = Key{
		Name: "PANEL_METRICS_ADDR", Default: "127.0.0.1:9464",
		Summary: "address of the panel's own metrics", Form: Listen,
	}

	APIURL = Key{
		Name: "PANEL_API_URL", Default: "http://localhost:8080",
		Summary: "panel that the command line talks to", Form: URL,
	}
	APIToken = Key{Name: "PANEL_API_TOKEN", Summary: "session token of the command line", Secret: true}
	Lang     = Key{
		Name:    "PANEL_LANG",
		Summary: "ru: the command line speaks Russian; otherwise its language is taken from LANG",
	}

	TestDBURL = Key{Name: "PANEL_TEST_DB_URL", Summary: "PostgreSQL for the tests; unset: a private one", Secret: true}
)

// Platform lists the keys that exist without any module.
func Platform() []Key {
	return []Key{
		Port, Bind, DataDir, DBURL, DBMaxConns, PGBin, SecretKey, SecretKeyPrevious,
		PublicURL, TrustedProxies, MaxConns, MaxConnsEach, SetupToken, SessionTTL, LogLevel, LogFormat, AuditRetention,
		AgentHeartbeat,
		LicenseURLs, LicensePublicKey, LicenseGrace, HTTPProxy, OutboundAllow, ProxypanelBootstrap,
		UpdateChannel, UpdateURL, SupportURL, MetricsAddr,
		APIURL, APIToken, Lang, TestDBURL,
	}
}
