package exchange

import (
	"encoding/xml"
	"strings"

	lroerrors "github.com/lro-go/lro/errors"
)

// An xmlError is an error in the XML form of Azure Storage (REST API, "Status and error codes"),
// which other services use too.
type xmlError struct {
	XMLName xml.Name
	Members []xmlMember `xml:",any"`
}

type xmlMember struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

// decodeXML decodes an error body in XML. It ignores the case of names. It returns a zero Detail if
// the body is not such an error or is longer than maxPage.
func decodeXML(body []byte) lroerrors.Detail {
	if len(body) > maxPage || !isMarkup(body) {
		return lroerrors.Detail{}
	}
	var e xmlError
	err := xml.Unmarshal(body, &e)
	isError := err == nil && strings.EqualFold(e.XMLName.Local, "Error")
	if !isError {
		return lroerrors.Detail{}
	}

	var d lroerrors.Detail
	for _, m := range e.Members {
		text := bounded(strings.TrimSpace(m.Text))
		switch strings.ToLower(m.XMLName.Local) {
		case "code":
			d.Code = text
		case "message":
			d.Message = text
		}
	}
	return d
}
