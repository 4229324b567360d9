package metrics

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// contentType is that of the text format of Prometheus.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// page writes what the collectors show; a family that shows nothing is left out.
func page(list []Collector) []byte {
	var out bytes.Buffer
	for _, c := range list {
		before := out.Len()
		out.WriteString("# HELP " + c.name + " " + helpText.Replace(c.help) + "\n# TYPE " + c.name + " " +
			c.kind + "\n")
		head := out.Len()
		c.read(func(labels string, value float64) { line(&out, c.name, labels, value) })
		if out.Len() == head {
			out.Truncate(before)
		}
	}
	return out.Bytes()
}

// line writes one number. Labels may begin with the ending of a name, as those of a histogram do: _sum{…}.
func line(out *bytes.Buffer, name, labels string, value float64) {
	out.WriteString(name + labels + " " + number(value) + "\n")
}

func number(value float64) string {
	switch {
	case math.IsInf(value, 1):
		return "+Inf"
	case math.IsInf(value, -1):
		return "-Inf"
	}
	return strconv.FormatFloat(value, 'g', -1, 64)
}

var (
	helpText  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// labels writes pairs of names and values, names sorted by whoever calls.
func labels(pairs ...string) string {
	var out strings.Builder
	for i := 0; i+1 < len(pairs); i += 2 {
		out.WriteString(`,` + pairs[i] + `="` + labelText.Replace(pairs[i+1]) + `"`)
	}
	return "{" + strings.TrimPrefix(out.String(), ",") + "}"
}
