package graph

import (
	"slices"
	"strconv"
	"strings"
)

// extra holds what the further settings of xhttp may say.
func (c *checker) extra(path string, l Listener) {
	e := l.Extra
	if e == nil {
		return
	}
	if l.Transport != "xhttp" {
		c.add("not_allowed_here", path, "these settings belong to xhttp")
		return
	}
	c.span(path+".x_padding_bytes", e.PaddingBytes, 1, 1<<16)
	c.span(path+".sc_max_each_post_bytes", e.MaxEachPostBytes, 1, 1<<30)
	c.span(path+".sc_min_posts_interval_ms", e.MinPostsIntervalMs, 1, 60_000)
	c.span(path+".sc_stream_up_server_secs", e.StreamUpServerSecs, 1, 3600)
	if e.MaxBufferedPosts < 0 || e.MaxBufferedPosts > 1000 {
		c.add("invalid_value", path+".sc_max_buffered_posts", "use 1 to 1000, or leave it out")
	}
	if e.Xmux != nil {
		c.xmux(path+".xmux", *e.Xmux)
	}
}

func (c *checker) xmux(path string, x Xmux) {
	const most = 1 << 20
	c.span(path+".max_concurrency", x.MaxConcurrency, 0, most)
	c.span(path+".max_connections", x.MaxConnections, 0, most)
	c.span(path+".c_max_reuse_times", x.MaxReuseTimes, 0, most)
	c.span(path+".h_max_request_times", x.MaxRequestTimes, 0, most)
	c.span(path+".h_max_reusable_secs", x.MaxReusableSecs, 0, most)
	if x.KeepAliveSeconds < -1 || x.KeepAliveSeconds > 3600 {
		c.add("invalid_value", path+".h_keep_alive_period", "use seconds up to an hour, or -1 for none")
	}
	if limits(x.MaxConcurrency) && limits(x.MaxConnections) {
		c.add("invalid_value", path+".max_connections",
			"the core takes either max_connections or max_concurrency; leave one of them out")
	}
}

// limits reports whether a range says more than "as many as you like".
func limits(span string) bool { return span != "" && span != "0" && span != "0-0" }

// span holds a range: one number, or two with a dash, each within the bounds.
func (c *checker) span(path, text string, least, most int) {
	if text == "" {
		return
	}
	var numbers []int
	for part := range strings.SplitSeq(text, "-") {
		n, err := strconv.Atoi(part)
		if err != nil || n < least || n > most || len(numbers) == 2 {
			numbers = nil
			break
		}
		numbers = append(numbers, n)
	}
	if len(numbers) == 0 || !slices.IsSorted(numbers) {
		c.add("invalid_value", path, "write one number, or two as 100-1000, from "+strconv.Itoa(least)+" to "+
			strconv.Itoa(most))
	}
}
