package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"panel/cmd/panel-bench/internal/seed"
	"panel/e2e/rig"
)

// barePageMode makes this executable the limit of listPages.
const barePageMode = "bare-page"

// barePage is a page that one prepared statement reads: a table with one column per field of the rows.
type barePage struct {
	DSN        string
	Table      string
	Fields     []bareField
	NextCursor *string
	Total      int
}

// bareField is one field of the rows and the type of its column.
type bareField struct {
	Name, Type     string
	Null, Optional bool // null, or absent, in some rows
}

// pageAnswer is what every list of the panel answers.
type pageAnswer[T any] struct {
	Items      T       `json:"items"`
	NextCursor *string `json:"next_cursor"`
	Total      int     `json:"total"`
}

type pageRow = map[string]json.RawMessage

// barePage starts a program that answers the same page with as little work as possible.
func (b *bench) barePage(ctx context.Context, dsn string, answer []byte) (string, *rig.Process, error) {
	var page pageAnswer[[]pageRow]
	if err := json.Unmarshal(answer, &page); err != nil {
		return "", nil, fmt.Errorf("read a page: %w", err)
	}
	if len(page.Items) != pageSize {
		return "", nil, fmt.Errorf("read a page: it has %d rows", len(page.Items))
	}
	bare := barePage{
		DSN: dsn, Table: fmt.Sprintf("bare_page_%d", len(b.stops)), Fields: fieldsOf(page.Items),
		NextCursor: page.NextCursor, Total: page.Total,
	}
	if err := bare.fill(ctx, page.Items); err != nil {
		return "", nil, err
	}
	content, err := json.Marshal(bare)
	if err != nil {
		return "", nil, fmt.Errorf("describe the page: %w", err)
	}
	address, process, err := b.bareProgram(ctx, barePageMode, content)
	if err != nil {
		return "", nil, err
	}
	given, err := read200(ctx, "http://"+address)
	if err == nil && !sameJSON(answer, given) {
		err = errors.New("the limit answers another page than the panel")
	}
	return address, process, err
}

func read200(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the limit: %w", err)
	}
	defer answer.Body.Close()
	return io.ReadAll(answer.Body)
}

// fieldsOf finds the type of every field in the rows.
func fieldsOf(rows []pageRow) []bareField {
	seen := map[string]*bareField{}
	count := map[string]int{}
	for _, row := range rows {
		for name, value := range row {
			if seen[name] == nil {
				seen[name] = &bareField{Name: name}
			}
			count[name]++
			seen[name].learn(value)
		}
	}
	var fields []bareField
	for name, field := range seen {
		if field.Type == "" {
			field.Type = "text" // null in every row
		}
		field.Optional = count[name] < len(rows)
		fields = append(fields, *field)
	}
	slices.SortFunc(fields, func(a, b bareField) int { return strings.Compare(a.Name, b.Name) })
	return fields
}

// learn widens the type so that it holds the value, too.
func (f *bareField) learn(value json.RawMessage) {
	kind := kindOf(value)
	switch {
	case kind == "":
		f.Null = true
	case f.Type == "" || f.Type == kind:
		f.Type = kind
	case slices.Contains([]string{"bigint", "float8"}, f.Type) && slices.Contains([]string{"bigint", "float8"}, kind):
		f.Type = "float8"
	case slices.Contains([]string{"text", "timestamptz"}, f.Type) && slices.Contains([]string{"text", "timestamptz"},
		kind):
		f.Type = "text"
	default:
		f.Type = "json"
	}
}

// kindOf is the narrowest type of the database for a value; "" for null.
func kindOf(value json.RawMessage) string {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return "json"
	}
	switch v := decoded.(type) {
	case nil:
		return ""
	case bool:
		return "boolean"
	case float64:
		if strings.ContainsAny(string(value), ".eE") {
			return "float8"
		}
		return "bigint"
	case string:
		if at, err := time.Parse(time.RFC3339Nano, v); err == nil && strings.HasSuffix(v, "Z") &&
			at.Nanosecond()%1000 == 0 {
			return "timestamptz"
		}
		return "text"
	}
	return "json"
}

// types are the Go types of the columns.
var types = map[string]reflect.Type{
	"boolean": reflect.TypeFor[bool](), "float8": reflect.TypeFor[float64](), "bigint": reflect.TypeFor[int64](),
	"text": reflect.TypeFor[string](), "timestamptz": reflect.TypeFor[time.Time](),
	"json": reflect.TypeFor[json.RawMessage](),
}

// row is the Go type of a row, as somebody would write it by hand.
func (p barePage) row() reflect.Type {
	fields := make([]reflect.StructField, len(p.Fields))
	for i, f := range p.Fields {
		kind, tag := types[f.Type], f.Name
		if (f.Null || f.Optional) && f.Type != "json" {
			kind = reflect.PointerTo(kind)
		}
		if f.Optional {
			tag += ",omitempty"
		}
		fields[i] = reflect.StructField{
			Name: fmt.Sprint("F", i),
			Type: kind,
			Tag:  reflect.StructTag(`json:"` + tag + `"`),
		}
	}
	return reflect.StructOf(fields)
}

// fill makes the table of the page.
func (p barePage) fill(ctx context.Context, rows []pageRow) error {
	conn, err := pgx.Connect(ctx, p.DSN)
	if err != nil {
		return fmt.Errorf("connect to the database of the run: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	columns := make([]string, len(p.Fields))
	for i, f := range p.Fields {
		columns[i] = fmt.Sprintf("f%d %s", i, f.Type)
	}
	if _, err := conn.Exec(ctx, "create table "+p.Table+" (k int primary key, "+strings.Join(columns,
		", ")+")"); err != nil {
		return fmt.Errorf("make the table of a page: %w", err)
	}
	kind := p.row()
	_, err = conn.CopyFrom(
		ctx,
		pgx.Identifier{p.Table},
		append([]string{"k"}, p.columns()...),
		pgx.CopyFromSlice(len(rows), func(i int) ([]any, error) {
			row := reflect.New(kind)
			whole, err := json.Marshal(rows[i])
			if err == nil {
				err = json.Unmarshal(whole, row.Interface())
			}
			values := []any{i}
			for field := range p.Fields {
				values = append(values, row.Elem().Field(field).Interface())
			}
			return values, err
		}),
	)
	if err != nil {
		return fmt.Errorf("fill the table of a page: %w", err)
	}
	return seed.Analyze(ctx, conn)
}

func (p barePage) columns() []string {
	names := make([]string, len(p.Fields))
	for i := range p.Fields {
		names[i] = fmt.Sprint("f", i)
	}
	return names
}

// servePage answers every request with the page that the file describes.
func servePage(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read what to answer: %w", err)
	}
	var p barePage
	if err := json.Unmarshal(content, &p); err != nil {
		return fmt.Errorf("read what to answer: %w", err)
	}
	pool, err := pgxpool.New(context.Background(), p.DSN)
	if err != nil {
		return fmt.Errorf("connect to the database of the run: %w", err)
	}
	statement := "select " + strings.Join(p.columns(), ", ") + " from " + p.Table + " where k > $1 order by k limit $2"
	kind := reflect.SliceOf(p.row())
	return serve(func(c *fiber.Ctx) error {
		items, err := readRows(c.Context(), pool, statement, kind, len(p.Fields))
		if err != nil {
			return err
		}
		text, err := json.Marshal(pageAnswer[any]{Items: items, NextCursor: p.NextCursor, Total: p.Total})
		if err != nil {
			return err
		}
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Send(text)
	})
}

func readRows(ctx context.Context, pool *pgxpool.Pool, statement string, kind reflect.Type, width int) (any, error) {
	rows, err := pool.Query(ctx, statement, -1, pageSize)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	items := reflect.MakeSlice(kind, pageSize, pageSize)
	into := make([]any, width)
	n := 0
	for ; rows.Next(); n++ {
		for i := range into {
			into[i] = items.Index(n).Field(i).Addr().Interface()
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
	}
	return items.Slice(0, n).Interface(), rows.Err()
}

// serve answers every GET on a port of its own and says which.
func serve(answer fiber.Handler) error {
	app := fiber.New(fiber.Config{DisableStartupMessage: true})
	app.Get("/*", answer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Println(listener.Addr())
	return app.Listener(listener)
}

// bareProgram runs this executable in one of its modes of being a limit and gives its address.
func (b *bench) bareProgram(ctx context.Context, mode string, content []byte) (string, *rig.Process, error) {
	name := filepath.Join(b.folder, fmt.Sprintf("%s-%d", mode, len(b.stops)))
	if err := os.WriteFile(name+".json", content, 0o600); err != nil {
		return "", nil, fmt.Errorf("write down what the limit answers: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("find this executable: %w", err)
	}
	process, err := rig.Start(
		rig.Spec{
			Name: mode,
			Log:  name + ".log",
			Path: self,
			Args: []string{mode, name + ".json"},
			Env:  []string{"TZ=UTC"},
		},
	)
	if err != nil {
		return "", nil, err
	}
	b.atEnd(func() error { process.Kill(); return nil })
	var address string
	err = rig.Eventually(ctx, 10*time.Second, func(context.Context) error {
		address = strings.TrimSpace(process.Words())
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		return connection.Close()
	})
	return address, process, err
}
