package httpapi

// Page is the answer of every list: rows, where the next page starts, how many rows match.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor" doc:"Pass as cursor to read on; null on the last page"`
	Total      int     `json:"total"`
}

// PageQuery is embedded in the input of every list.
type PageQuery struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string `query:"cursor" maxLength:"512"`
	Sort   string `query:"sort" maxLength:"64" doc:"Field to sort by; a leading minus turns the order"`
}
