package arm

import (
	"encoding/base64"
	"encoding/json"
	"strconv"

	"github.com/lro-go/lro/internal/document"
	"github.com/lro-go/lro/internal/jsonread"
)

// A protocol is a strategy of Azure Resource Manager. Its text is stored in tokens.
type protocol string

const (
	auto              protocol = "arm"
	asyncOperation    protocol = "azure-async-operation"
	operationLocation protocol = "operation-location"
	location          protocol = "location"
	provisioningState protocol = "provisioning-state"
)

// A memo is what the strategies remember of the responses so far.
type memo struct {
	Strategy protocol `json:"strategy"`
	Location string   `json:"location,omitempty"` // absolute URL of the result
	Member   string   `json:"member,omitempty"`   // the member of the status document that holds the result; set only in memos from azcore's tokens
	Itself   bool     `json:"itself,omitempty"`   // the first request was a GET of the operation's own URL
	Accepted bool     `json:"accepted,omitempty"` // a poll of this Location has answered 202
	Created  bool     `json:"created,omitempty"`  // the first response was a 201 that showed the resource being created
	Ended    []byte   `json:"ended,omitempty"`    // the resource in a terminal state, which the next read may correct
	Failed   bool     `json:"failed,omitempty"`   // the creation has failed, and the Location is read for the reason
	Checked  bool     `json:"checked,omitempty"`  // CrossCheck reads the resource in turn with the status
	Early    int64    `json:"early,omitempty"`    // how many seconds old the operation was when its result first showed it in progress
}

// readMemo decodes a memo. It does not use encoding/json, which would allocate more in each poll
// than the rest of the strategy does.
func readMemo(text json.RawMessage) (memo, error) {
	var name, url, member, itself, accepted, created, ended, failed, checked, early json.RawMessage
	_, err := jsonread.Fill(text,
		jsonread.Field{Name: "strategy", To: &name},
		jsonread.Field{Name: "location", To: &url},
		jsonread.Field{Name: "member", To: &member},
		jsonread.Field{Name: "itself", To: &itself},
		jsonread.Field{Name: "accepted", To: &accepted},
		jsonread.Field{Name: "created", To: &created},
		jsonread.Field{Name: "ended", To: &ended},
		jsonread.Field{Name: "failed", To: &failed},
		jsonread.Field{Name: "checked", To: &checked},
		jsonread.Field{Name: "early", To: &early},
	)
	m := memo{
		Strategy: protocolOf(name),
		Location: document.Text(url),
		Member:   document.Text(member),
		Itself:   string(itself) == "true",
		Accepted: string(accepted) == "true",
		Created:  string(created) == "true",
		Failed:   string(failed) == "true",
		Checked:  string(checked) == "true",
	}
	m.Ended, _ = base64.StdEncoding.DecodeString(document.Text(ended)) // a forged memo may contain anything
	if early != nil {
		m.Early, _ = strconv.ParseInt(string(early), 10, 64)
	}
	return m, err
}

// protocolOf returns the protocol with the name in a memo, or "" if there is no such protocol.
func protocolOf(name json.RawMessage) protocol {
	for _, p := range []protocol{asyncOperation, location, provisioningState, operationLocation} {
		if len(name) == len(p)+len(`""`) && string(name[1:len(name)-1]) == string(p) {
			return p
		}
	}
	return ""
}

// text encodes the memo.
func (m memo) text() json.RawMessage {
	b, _ := json.Marshal(m) // cannot fail, because the fields are strings, bytes, numbers and bools
	return b
}
