package arm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
)

// A protocol is a strategy of Azure Resource Manager. Tokens contain its string value.
type protocol string

const (
	auto              protocol = "arm"
	asyncOperation    protocol = "azure-async-operation"
	operationLocation protocol = "operation-location"
	location          protocol = "location"
	provisioningState protocol = "provisioning-state"
)

// A memo contains what the strategies remember about earlier responses.
type memo struct {
	Strategy protocol `json:"strategy"`
	Location string   `json:"location,omitempty"` // absolute URL from a Location header, where the result may be
	Member   string   `json:"member,omitempty"`   // member of the status document that holds the result; set only in memos made from azcore tokens
	Itself   bool     `json:"itself,omitempty"`   // the first request was a GET of the status URL
	Accepted bool     `json:"accepted,omitempty"` // a poll of the current Location has returned 202
	Created  bool     `json:"created,omitempty"`  // the first response was a 201 that showed the resource being created
	Ended    []byte   `json:"ended,omitempty"`    // the terminal resource from the first response, until the next read confirms or corrects it
	Failed   bool     `json:"failed,omitempty"`   // the creation has failed, and the next read of the Location may show why
	Checked  bool     `json:"checked,omitempty"`  // CrossCheck alternates between the resource and the status
	Early    int64    `json:"early,omitempty"`    // the operation's age, in seconds, when the resource first contradicted a reported success
}

// readMemo decodes a memo, which may come from a forged token. It does not use encoding/json, which
// would allocate more in each poll than the rest of the strategy.
func readMemo(text json.RawMessage) (memo, error) {
	var m memo
	err := jsonread.Members(text, m.read)
	return m, err
}

// textNames lists a memo's string members, and flagNames its flags. Both must be in the order in
// which memo.read lists the fields.
var (
	textNames = []string{"location", "member"}
	flagNames = []string{"itself", "accepted", "created", "failed", "checked"}
)

// read decodes one member of a memo. It ignores unknown members and values of the wrong type.
func (m *memo) read(name, value []byte) {
	texts := [...]*string{
		&m.Location,
		&m.Member,
	}
	i := slices.Index(textNames, string(name))
	if i >= 0 {
		*texts[i] = document.Text(value)
		return
	}

	flags := [...]*bool{
		&m.Itself,
		&m.Accepted,
		&m.Created,
		&m.Failed,
		&m.Checked,
	}
	i = slices.Index(flagNames, string(name))
	if i >= 0 {
		*flags[i] = string(value) == "true"
		return
	}

	switch string(name) {
	case "strategy":
		m.Strategy = protocolOf(value)
	case "ended":
		text := document.Text(value)
		m.Ended, _ = base64.StdEncoding.DecodeString(text)
	case "early":
		text := string(value)
		m.Early, _ = strconv.ParseInt(text, 10, 64)
	}
}

// protocols lists the protocols that a memo may name.
var protocols = []protocol{asyncOperation, location, provisioningState, operationLocation}

// protocolOf decodes the name of a protocol. It returns "" if the name is not in protocols.
func protocolOf(name []byte) protocol {
	i := slices.Index(protocols, protocol(bytes.Trim(name, `"`)))
	if i < 0 {
		return ""
	}
	return protocols[i]
}

// text encodes the memo.
func (m memo) text() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail, because the fields are strings, bytes, numbers and bools
	return b
}
