package targets

import (
	"net/http"
	"strings"
)

// aliases are the ends of the names by which sites lead to a CDN.
var aliases = map[string]string{
	"cdn.cloudflare.net": "Cloudflare", "cloudfront.net": "CloudFront", "akamaiedge.net": "Akamai",
	"akamai.net": "Akamai", "edgekey.net": "Akamai", "edgesuite.net": "Akamai", "akamaized.net": "Akamai",
	"fastly.net": "Fastly", "fastlylb.net": "Fastly", "azureedge.net": "Azure", "azurefd.net": "Azure",
	"t-msedge.net": "Azure", "gcdn.co": "Gcore", "b-cdn.net": "Bunny", "cdn77.org": "CDN77", "kxcdn.com": "KeyCDN",
	"stackpathdns.com": "StackPath", "llnwd.net": "Edgio", "edgecastcdn.net": "Edgio", "incapdns.net": "Imperva",
	"impervadns.net": "Imperva", "yandexcloud.net": "Yandex", "cdngslb.com": "Alibaba", "kunlunca.com": "Alibaba",
	"qtlcdn.com": "Qrator", "ngenix.net": "NGENIX", "sucuri.net": "Sucuri", "vercel-dns.com": "Vercel",
	"netlify.app": "Netlify",
}

func cdnOfName(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	for end, network := range aliases {
		if strings.HasSuffix(name, "."+end) {
			return network
		}
	}
	return ""
}

// marks are headers that only servers of a CDN send, with what their value holds; empty: anything.
var marks = []struct{ header, holds, network string }{
	{"Cf-Ray", "", "Cloudflare"},
	{"Server", "cloudflare", "Cloudflare"},
	{"X-Amz-Cf-Id", "", "CloudFront"},
	{"Via", "cloudfront", "CloudFront"},
	{"X-Fastly-Request-Id", "", "Fastly"},
	{"X-Served-By", "cache-", "Fastly"},
	{"Server", "akamai", "Akamai"},
	{"X-Akamai-Transformed", "", "Akamai"},
	{"Akamai-Grn", "", "Akamai"},
	{"X-Azure-Ref", "", "Azure"},
	{"X-Msedge-Ref", "", "Azure"},
	{"Server", "bunnycdn", "Bunny"},
	{"Cdn-Pullzone", "", "Bunny"},
	{"Server", "keycdn", "KeyCDN"},
	{"Server", "cdn77", "CDN77"},
	{"X-77-Cache", "", "CDN77"},
	{"X-Iinfo", "", "Imperva"},
	{"X-Sucuri-Id", "", "Sucuri"},
	{"X-Vercel-Id", "", "Vercel"},
	{"X-Nf-Request-Id", "", "Netlify"},
	{"X-Cdn", "", "CDN"},
}

func cdnOfHeaders(headers http.Header) string {
	for _, mark := range marks {
		if value := headers.Get(mark.header); value != "" &&
			strings.Contains(strings.ToLower(value), mark.holds) {
			return mark.network
		}
	}
	return ""
}
