package nodes

import (
	"fmt"
	"net/http"
	"testing"

	"panel/platform/paneltest"
)

// BenchmarkNodeList shows that a page costs the same at any size of the fleet.
func BenchmarkNodeList(b *testing.B) {
	for _, size := range []int{500, 5000} {
		p := paneltest.New(b, Module())
		fleetOf(b, p, size)
		admin := p.As("nodes.view")
		for _, query := range []string{"", "?tag=t3&sort=-name", "?state=online"} {
			b.Run(fmt.Sprintf("%d%s", size, query), func(b *testing.B) {
				for b.Loop() {
					admin.Get("/api/v1/nodes" + query).Is(http.StatusOK)
				}
			})
		}
	}
}
