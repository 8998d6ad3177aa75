package exchange

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// ErrorDetail decodes the error of a 4xx or 5xx response. If the body is not an error in JSON, the
// message is the beginning of the readable text of the body, which may be an HTML page, plain
// text or anything else. ErrorDetail returns nil if the response contains no information.
func ErrorDetail(h http.Header, body []byte) *lroerrors.Detail {
	var d lroerrors.Detail
	if json.Unmarshal(body, &d) != nil {
		d.Message = snippet(body)
	} else if d.IsZero() && !isHollow(body) {
		d.Message = bounded(string(bytes.TrimSpace(body[:min(len(body), maxPage)])))
	}
	return withCode(h, d)
}

// DocumentDetail decodes the error within a larger document, such as the status of an operation.
// It returns nil if the document contains no error.
func DocumentDetail(h http.Header, body []byte) *lroerrors.Detail {
	var d lroerrors.Detail
	if json.Unmarshal(body, &d) != nil {
		d = lroerrors.Detail{}
	}
	return withCode(h, d)
}

// withCode returns d. If d has no code, withCode takes the code from the header.
func withCode(h http.Header, d lroerrors.Detail) *lroerrors.Detail {
	if d.Code == "" {
		d.Code = bounded(h.Get("X-Ms-Error-Code"))
	}
	if d.IsZero() {
		return nil
	}
	return &d
}

// isHollow reports whether a JSON body holds nothing worth showing.
func isHollow(body []byte) bool {
	s := strings.Trim(string(body[:min(len(body), maxSnippet)]), "{}[]\" \t\r\n")
	return len(body) <= maxSnippet && (s == "" || s == "null")
}
