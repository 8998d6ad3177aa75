package wire

import (
	"bytes"
	"encoding/json"
	"net/http"

	lroerrors "github.com/lro-go/lro/errors"
)

// AnswerDetail decodes the error of an answer that is an error as a whole (4xx,
// 5xx). What is not the JSON of an error becomes the message, bounded: the text
// of an HTML page, plain text, or the raw body. It returns nil where the answer
// says nothing at all.
func AnswerDetail(h http.Header, body []byte) *lroerrors.Detail {
	var d lroerrors.Detail
	if json.Unmarshal(body, &d) != nil {
		d.Message = snippet(body)
	} else if d.IsZero() && !isHollow(body) {
		d.Message = cut(string(bytes.TrimSpace(body[:min(len(body), maxPage)])))
	}
	return withCode(h, d)
}

// DocumentDetail decodes the error within a document that tells more than an
// error, such as a status document. It returns nil where there is none.
func DocumentDetail(h http.Header, body []byte) *lroerrors.Detail {
	var d lroerrors.Detail
	if json.Unmarshal(body, &d) != nil {
		d = lroerrors.Detail{}
	}
	return withCode(h, d)
}

// withCode takes the code from the header where the body has none.
func withCode(h http.Header, d lroerrors.Detail) *lroerrors.Detail {
	if d.Code == "" {
		d.Code = storable(h.Get("X-Ms-Error-Code"))
	}
	if d.IsZero() {
		return nil
	}
	return &d
}

// isHollow reports whether JSON holds nothing to show.
func isHollow(body []byte) bool {
	var buf bytes.Buffer
	if len(body) > maxSnippet || json.Compact(&buf, body) != nil {
		return false
	}
	switch buf.String() {
	case "null", `""`, "{}", "[]":
		return true
	}
	return false
}
