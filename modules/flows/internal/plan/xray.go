package plan

import (
	"panel/modules/flows/flowsapi"
	"panel/platform/agentapi"
)

// The structs below are the only way into a core's configuration: nothing that a person wrote passes through as JSON.

// head is the part of a configuration that is the same on every node; inbounds, outbounds and routing follow it.
type head struct {
	Log    coreLog    `json:"log"`
	Stats  struct{}   `json:"stats"`
	Policy corePolicy `json:"policy"`
}

type coreLog struct {
	Access   string `json:"access"`
	LogLevel string `json:"loglevel"`
}

type corePolicy struct {
	Levels map[string]levelPolicy `json:"levels"`
	System systemPolicy           `json:"system"`
}

type levelPolicy struct {
	Uplink   bool `json:"statsUserUplink"`
	Downlink bool `json:"statsUserDownlink"`
	Online   bool `json:"statsUserOnline"`
}

type systemPolicy struct {
	InUplink    bool `json:"statsInboundUplink"`
	InDownlink  bool `json:"statsInboundDownlink"`
	OutUplink   bool `json:"statsOutboundUplink"`
	OutDownlink bool `json:"statsOutboundDownlink"`
}

// Inbound is one listener of the core.
type Inbound struct {
	Tag      string          `json:"tag"`
	Listen   string          `json:"listen"`
	Port     string          `json:"port"`
	Protocol string          `json:"protocol"`
	Settings inboundSettings `json:"settings"`
	Stream   *stream         `json:"streamSettings,omitempty"`
	Sniffing *sniffing       `json:"sniffing,omitempty"`

	// ClientsOf names the flow whose clients the agent lets in beside those of the settings.
	ClientsOf *agentapi.ListOf `json:"clients_of,omitempty"`
}

type inboundSettings struct {
	Clients    []user `json:"clients"`
	Decryption string `json:"decryption,omitempty"`
	Method     string `json:"method,omitempty"`
	Password   string `json:"password,omitempty"`
	Network    string `json:"network,omitempty"`
	Version    int    `json:"version,omitempty"`

	SecretKey   string       `json:"secretKey,omitempty"`
	Peers       []tunnelPeer `json:"peers,omitempty"`
	MTU         int          `json:"mtu,omitempty"`
	NoKernelTun bool         `json:"noKernelTun,omitempty"`

	Fallbacks []fallback `json:"fallbacks,omitempty"`
	Address   string     `json:"address,omitempty"`
	Port      int        `json:"port,omitempty"`
}

// fallback is where an inbound sends what is not its own protocol, with the address of the client before it.
type fallback struct {
	ALPN string `json:"alpn,omitempty"`
	Path string `json:"path,omitempty"`
	Dest string `json:"dest"`
	Xver int    `json:"xver"`
}

type user struct {
	ID       string `json:"id,omitempty"`
	Flow     string `json:"flow,omitempty"`
	Password string `json:"password,omitempty"`
	Auth     string `json:"auth,omitempty"`
	Email    string `json:"email"`
}

// tunnelPeer is either end of WireGuard as the other one knows it. The core reads no email: the agent does.
type tunnelPeer struct {
	Email      string   `json:"email,omitempty"`
	PublicKey  string   `json:"publicKey"`
	Endpoint   string   `json:"endpoint,omitempty"`
	AllowedIPs []string `json:"allowedIPs"`
}

type sniffing struct {
	Enabled      bool     `json:"enabled"`
	DestOverride []string `json:"destOverride"`
	RouteOnly    bool     `json:"routeOnly"`
}

type stream struct {
	Network  string         `json:"network"`
	Security string         `json:"security,omitempty"`
	Reality  *realityParams `json:"realitySettings,omitempty"`
	TLS      *tlsParams     `json:"tlsSettings,omitempty"`
	XHTTP    *xhttpParams   `json:"xhttpSettings,omitempty"`
	GRPC     *grpcParams    `json:"grpcSettings,omitempty"`
	WS       *pathParams    `json:"wsSettings,omitempty"`
	Upgrade  *pathParams    `json:"httpupgradeSettings,omitempty"`

	Hysteria *hysteriaParams `json:"hysteriaSettings,omitempty"`
	Masks    *masks          `json:"finalmask,omitempty"`

	Socket *socketParams `json:"sockopt,omitempty"`
}

type hysteriaParams struct {
	Version int    `json:"version"`
	Auth    string `json:"auth,omitempty"`
}

// masks change packets on their way, so that they look like nothing known.
type masks struct {
	UDP []packetMask `json:"udp"`
}

type packetMask struct {
	Type     string       `json:"type"`
	Settings maskSettings `json:"settings"`
}

type maskSettings struct {
	Password string `json:"password"`
}

// socketParams lets a listener learn the address of the client from whoever stands in front of it.
type socketParams struct {
	Proxied bool `json:"acceptProxyProtocol"`
}

type tlsParams struct {
	ServerName    string           `json:"serverName,omitempty"`
	Fingerprint   string           `json:"fingerprint,omitempty"`
	ALPN          []string         `json:"alpn,omitempty"`
	MinVersion    string           `json:"minVersion,omitempty"`
	OnlyKnown     bool             `json:"rejectUnknownSni,omitempty"`
	NoSystemRoots bool             `json:"disableSystemRoot,omitempty"`
	Pinned        string           `json:"pinnedPeerCertSha256,omitempty"`
	Certificates  []certificateRef `json:"certificates,omitempty"`
}

// certificateRef names a certificate; the agent of the node puts it in.
type certificateRef struct {
	Chain string `json:"certificateFile,omitempty"`
	Key   string `json:"keyFile,omitempty"`
	Usage string `json:"usage,omitempty"`

	Lines    []string `json:"certificate,omitempty"` // of one that nodes show each other
	KeyLines []string `json:"key,omitempty"`
}

type pathParams struct {
	Path string `json:"path"`
	Host string `json:"host,omitempty"`
}

type realityParams struct {
	Target      string   `json:"target,omitempty"`
	ServerNames []string `json:"serverNames,omitempty"`
	PrivateKey  string   `json:"privateKey,omitempty"`
	ShortIDs    []string `json:"shortIds,omitempty"`
	MaxTimeDiff int      `json:"maxTimeDiff,omitempty"`
	Xver        int      `json:"xver,omitempty"`

	LimitUpload   *limitParams `json:"limitFallbackUpload,omitempty"`
	LimitDownload *limitParams `json:"limitFallbackDownload,omitempty"`

	MLDSASeed   string `json:"mldsa65Seed,omitempty"`
	MLDSAVerify string `json:"mldsa65Verify,omitempty"`

	ServerName  string `json:"serverName,omitempty"`
	PublicKey   string `json:"publicKey,omitempty"`
	ShortID     string `json:"shortId,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

type limitParams struct {
	AfterBytes  int64 `json:"afterBytes"`
	BytesPerSec int64 `json:"bytesPerSec"`
	BurstPerSec int64 `json:"burstBytesPerSec"`
}

type xhttpParams struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Host string `json:"host,omitempty"`

	Extra *xhttpExtra `json:"extra,omitempty"`
}

// xhttpExtra is also what a link carries as extra.
type xhttpExtra struct {
	PaddingBytes       string `json:"xPaddingBytes,omitempty"`
	NoGRPCHeader       bool   `json:"noGRPCHeader,omitempty"`
	NoSSEHeader        bool   `json:"noSSEHeader,omitempty"`
	MaxEachPostBytes   string `json:"scMaxEachPostBytes,omitempty"`
	MinPostsIntervalMs string `json:"scMinPostsIntervalMs,omitempty"`
	MaxBufferedPosts   int    `json:"scMaxBufferedPosts,omitempty"`
	StreamUpServerSecs string `json:"scStreamUpServerSecs,omitempty"`
	Xmux               *xmux  `json:"xmux,omitempty"`
}

type xmux struct {
	MaxConcurrency   string `json:"maxConcurrency,omitempty"`
	MaxConnections   string `json:"maxConnections,omitempty"`
	MaxReuseTimes    string `json:"cMaxReuseTimes,omitempty"`
	MaxRequestTimes  string `json:"hMaxRequestTimes,omitempty"`
	MaxReusableSecs  string `json:"hMaxReusableSecs,omitempty"`
	KeepAliveSeconds int    `json:"hKeepAlivePeriod,omitempty"`
}

type grpcParams struct {
	ServiceName string `json:"serviceName"`
}

// Outbound is one way out of the core.
type Outbound struct {
	Tag      string            `json:"tag"`
	Protocol string            `json:"protocol"`
	Settings *outboundSettings `json:"settings,omitempty"`
	Stream   *stream           `json:"streamSettings,omitempty"`

	// PoolOf has the agent choose among other outbounds in place of this one.
	PoolOf *agentapi.PoolOf `json:"pool_of,omitempty"`
}

type outboundSettings struct {
	Address    string `json:"address,omitempty"`
	Port       int    `json:"port,omitempty"`
	ID         string `json:"id,omitempty"`
	Flow       string `json:"flow,omitempty"`
	Encryption string `json:"encryption,omitempty"`
	Method     string `json:"method,omitempty"`
	Password   string `json:"password,omitempty"`
	Security   string `json:"security,omitempty"`
	Version    int    `json:"version,omitempty"`

	User string `json:"user,omitempty"` // of a proxy
	Pass string `json:"pass,omitempty"`

	DomainStrategy string             `json:"domainStrategy,omitempty"`
	Fragment       *flowsapi.Fragment `json:"fragment,omitempty"`

	Redirect      string `json:"redirect,omitempty"`
	ProxyProtocol int    `json:"proxyProtocol,omitempty"`
}

// Rule sends matching traffic of its inbounds to one outbound; rules of all flows stand in one list, so each begins
// with the inbound that it speaks of.
type Rule struct {
	InboundTag  []string `json:"inboundTag"`
	User        []string `json:"user,omitempty"`
	Domain      []string `json:"domain,omitempty"`
	IP          []string `json:"ip,omitempty"`
	Port        string   `json:"port,omitempty"`
	Protocol    []string `json:"protocol,omitempty"`
	OutboundTag string   `json:"outboundTag"`
}
