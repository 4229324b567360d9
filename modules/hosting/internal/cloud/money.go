package cloud

import (
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strings"
)

// minor turns a decimal text, such as 3.7900000000, into minor units, rounded half away from zero. Not every currency
// has hundredths, but all that providers charge in do.
func minor(decimal string) (int64, bool) {
	const hundredths, longest = 100, 40
	if decimal = strings.TrimSpace(decimal); decimal == "" || len(decimal) > longest ||
		strings.Trim(decimal, "+-.0123456789") != "" { // Rat takes fractions, exponents and other bases too
		return 0, false
	}
	value, ok := new(big.Rat).SetString(decimal)
	if !ok {
		return 0, false
	}
	value.Mul(value, big.NewRat(hundredths, 1))
	half := big.NewRat(1, 2)
	if value.Sign() < 0 {
		half.Neg(half)
	}
	value.Add(value, half)
	whole := new(big.Int).Quo(value.Num(), value.Denom())
	return whole.Int64(), whole.IsInt64()
}

// cents turns an amount that came as a number into minor units.
func cents(amount float64) int64 {
	const hundredths = 100
	return int64(math.Round(amount * hundredths))
}

// monthly is a price per month that came as a number.
func monthly(amount float64, currency string) *Price {
	return &Price{Amount: cents(amount), Currency: currency, Period: Month}
}

// Addresses keeps what are IP addresses, without a prefix's length and in the usual form, sorted as they came.
func Addresses(texts ...string) []string {
	list := []string{}
	for _, text := range texts {
		text, _, _ = strings.Cut(text, "/")
		addr, err := netip.ParseAddr(text)
		if err != nil || addr.IsUnspecified() {
			continue
		}
		if plain := addr.Unmap().String(); !slices.Contains(list, plain) {
			list = append(list, plain)
		}
	}
	return list
}

// Split parts IPv4 addresses from those of IPv6.
func Split(texts []string) (v4, v6 []string) {
	v4, v6 = []string{}, []string{}
	for _, text := range Addresses(texts...) {
		if strings.Contains(text, ":") {
			v6 = append(v6, text)
		} else {
			v4 = append(v4, text)
		}
	}
	return v4, v6
}

// tags is a list that is never nil.
func tags(list []string) []string { return append([]string{}, list...) }

// Sizes in bytes.
const (
	mib = 1 << 20
	gib = 1 << 30
)
