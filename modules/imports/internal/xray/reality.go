package xray

import (
	"encoding/base64"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"panel/modules/imports/internal/foreign"
)

type reality struct {
	Target        text     `json:"target"`
	Dest          text     `json:"dest"`
	Xver          int      `json:"xver"`
	ServerNames   []string `json:"serverNames"`
	PrivateKey    string   `json:"privateKey"`
	ShortIDs      []string `json:"shortIds"`
	MaxTimeDiff   int      `json:"maxTimeDiff"`
	MLDSASeed     string   `json:"mldsa65Seed"`
	MinClientVer  string   `json:"minClientVer"`
	MaxClientVer  string   `json:"maxClientVer"`
	LimitUpload   *limit   `json:"limitFallbackUpload"`
	LimitDownload *limit   `json:"limitFallbackDownload"`
}

type limit struct {
	AfterBytes  int64 `json:"afterBytes"`
	BytesPerSec int64 `json:"bytesPerSec"`
	BurstPerSec int64 `json:"burstBytesPerSec"`
}

// reality reads what strangers are shown, and the keys. Without a private key there is nothing to keep.
func (r *reader) reality(l *foreign.Listener, from *reality) bool {
	const at = ".streamSettings.realitySettings"
	to := new(foreign.Reality)
	l.Reality = to
	raw, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.TrimSpace(from.PrivateKey), "="))
	if err != nil || len(raw) != 32 {
		r.note(at+".privateKey", foreign.NotReadable, "")
		return false
	}
	to.PrivateKey = base64.RawURLEncoding.EncodeToString(raw)
	r.target(l, from)
	if slices.Contains(from.ShortIDs, "") {
		r.note(at+".shortIds", foreign.EmptyShortID, "")
	}
	to.ShortIDs, to.ServerNames = r.values(at+".shortIds", from.ShortIDs), r.values(at+".serverNames", from.ServerNames)
	if from.Xver > 0 && from.Xver <= 2 {
		to.Xver = from.Xver
	}
	if from.MaxTimeDiff > 0 && from.MaxTimeDiff <= 86400000 {
		to.MaxTimeDiff = from.MaxTimeDiff
	}
	to.LimitUpload, to.LimitDownload = limitOf(from.LimitUpload), limitOf(from.LimitDownload)
	if from.MLDSASeed != "" {
		to.MLDSA65 = true
		r.note(at+".mldsa65Seed", foreign.MLDSALeftOut, "")
	}
	if from.MinClientVer+from.MaxClientVer != "" {
		r.note(at+".minClientVer", foreign.SettingLeftOut, "minClientVer")
	}
	return true
}

// values are those of a list that a drawing can hold; an empty one says nothing.
func (r *reader) values(at string, from []string) (out []string) {
	for _, value := range from {
		if value = foreign.Clean(value, longestHost); value == "" {
			continue
		}
		if len(out) >= mostValues {
			r.note(at, foreign.TooMany, "")
			break
		}
		out = append(out, value)
	}
	return out
}

// target reads the site that strangers are shown; a port alone is one of the node itself.
func (r *reader) target(l *foreign.Listener, from *reality) {
	target := string(from.Target)
	if target == "" {
		target = string(from.Dest)
	}
	if _, err := strconv.Atoi(target); err == nil {
		target = "127.0.0.1:" + target
	}
	host, port, err := net.SplitHostPort(target)
	if err != nil && target != "" && !strings.ContainsAny(target, "/@:") {
		host, port, err = target, "443", nil
	}
	if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 1 || n > 65535 || host == "" ||
		strings.ContainsAny(host, "/@") || foreign.Clean(host, longestHost) != host {
		r.note(".streamSettings.realitySettings.target", foreign.TargetUnknown, "")
		return
	}
	l.Reality.Target = net.JoinHostPort(host, port)
	if ip, err := netip.ParseAddr(host); err == nil && (ip.IsPrivate() || ip.IsLoopback()) || host == "localhost" {
		l.Reality.AllowPrivateTarget = true
	}
}

func limitOf(from *limit) *foreign.Limit {
	if from == nil || from.BytesPerSec <= 0 || from.BytesPerSec > mostBytes {
		return nil
	}
	return &foreign.Limit{
		AfterBytes: min(max(from.AfterBytes, 0), mostBytes), BytesPerSec: from.BytesPerSec,
		BurstPerSec: min(max(from.BurstPerSec, 0), mostBytes),
	}
}
