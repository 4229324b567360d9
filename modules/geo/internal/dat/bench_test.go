package dat

import (
	"bytes"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/runtime/protoimpl"

	"panel/platform/testneed/geofiles"
)

// Lists of names as the library of protobuf reads them by itself, without any code that was generated.
type (
	siteList struct {
		Entry []*site `protobuf:"bytes,1,rep,name=entry,proto3"`
	}
	site struct {
		Code   string        `protobuf:"bytes,1,opt,name=country_code,proto3"`
		Domain []*siteDomain `protobuf:"bytes,2,rep,name=domain,proto3"`
	}
	siteDomain struct {
		Type      int32            `protobuf:"varint,1,opt,name=type,proto3"`
		Value     string           `protobuf:"bytes,2,opt,name=value,proto3"`
		Attribute []*siteAttribute `protobuf:"bytes,3,rep,name=attribute,proto3"`
	}
	siteAttribute struct {
		Key string `protobuf:"bytes,1,opt,name=key,proto3"`
	}
)

func (l *siteList) Reset()              { *l = siteList{} }
func (l *siteList) String() string      { return "" }
func (*siteList) ProtoMessage()         {}
func (s *site) Reset()                  { *s = site{} }
func (s *site) String() string          { return "" }
func (*site) ProtoMessage()             {}
func (d *siteDomain) Reset()            { *d = siteDomain{} }
func (d *siteDomain) String() string    { return "" }
func (*siteDomain) ProtoMessage()       {}
func (a *siteAttribute) Reset()         { *a = siteAttribute{} }
func (a *siteAttribute) String() string { return "" }
func (*siteAttribute) ProtoMessage()    {}

// names are so many as a list of 5, 10 and 20 MB has.
var names = []int{150_000, 300_000, 600_000}

// BenchmarkRead reads a list as an update does.
func BenchmarkRead(b *testing.B) {
	for _, n := range names {
		raw := geofiles.ManySites(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				file, err := Read(bytes.NewReader(raw), int64(len(raw)), nil)
				if err != nil || file.Entries != n {
					b.Fatal(file.Entries, err)
				}
			}
		})
	}
}

// BenchmarkProtobuf reads the same list with the library of protobuf alone: what reading is compared with.
func BenchmarkProtobuf(b *testing.B) {
	for _, n := range names {
		raw := geofiles.ManySites(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				var list siteList
				if err := proto.Unmarshal(raw, protoimpl.X.ProtoMessageV2Of(&list)); err != nil {
					b.Fatal(err)
				}
				read := 0
				for _, one := range list.Entry {
					read += len(one.Domain)
				}
				if read != n {
					b.Fatal(read)
				}
			}
		})
	}
}
