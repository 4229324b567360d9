package site

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
)

//go:embed page.css
var styles string

// Backgrounds that the accent stands on.
const (
	paper = "#ffffff"
	night = "#14161a"
)

// css is the style of a page: its mode and its accent are the only things that differ.
func (b *builder) css() string {
	bright := readable(b.site.Accent, paper)
	dim := readable(b.site.Accent, night)
	accents := fmt.Sprintf("--accent:%s;--on-accent:%s", bright, upon(bright))
	dark := fmt.Sprintf("--accent:%s;--on-accent:%s", dim, upon(dim))
	fill := strings.NewReplacer("/*light-accent*/", accents+";", "/*dark-accent*/", dark+";")
	return fill.Replace(styles)
}

// readable moves a colour towards black or white until text of it can be read on a background (WCAG: 4.5 to 1).
func readable(colour, background string) string {
	const enough, step = 4.5, 0.04
	goal := 0.0 // black
	if luminance(background) < 0.5 {
		goal = 255
	}
	r, g, b := channels(colour)
	for range int(1 / step) {
		if contrast(colour, background) >= enough {
			return colour
		}
		r, g, b = r+(goal-r)*step*2, g+(goal-g)*step*2, b+(goal-b)*step*2
		colour = fmt.Sprintf("#%02x%02x%02x", int(r), int(g), int(b))
	}
	return colour
}

// upon is black or white, whichever can be read better on a colour.
func upon(colour string) string {
	if contrast(colour, "#ffffff") >= contrast(colour, "#000000") {
		return "#ffffff"
	}
	return "#000000"
}

func contrast(a, b string) float64 {
	first, second := luminance(a), luminance(b)
	return (max(first, second) + 0.05) / (min(first, second) + 0.05)
}

func luminance(colour string) float64 {
	linear := func(c float64) float64 {
		if c /= 255; c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	r, g, b := channels(colour)
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

// channels of #rrggbb; what cannot be read is grey.
func channels(colour string) (r, g, b float64) {
	n, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil || len(colour) != len("#rrggbb") {
		return 128, 128, 128
	}
	return float64(n >> 16 & 255), float64(n >> 8 & 255), float64(n & 255)
}
