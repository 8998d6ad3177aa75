package poller

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"
)

// azcoreToken is what azcore's runtime.Poller stores, in all its kinds: async,
// op, body and loc.
type azcoreToken struct {
	Type       string        `json:"type"` // "body" or "loc"
	AsyncURL   string        `json:"asyncURL"`
	OpLocURL   string        `json:"oplocURL"`
	PollURL    string        `json:"pollURL"`
	LocURL     string        `json:"locURL"`
	OrigURL    string        `json:"origURL"`
	Method     string        `json:"method"`
	FinalState FinalStateVia `json:"finalState"`
	ResultPath string        `json:"resultPath"` // the member of the status document that holds the result
}

// decodeAzcore reads a token of azcore, raw or in base64. The name of its result
// type is passed over, for it is a name of another program, and so is its state:
// a terminal one has lost the answer that told it.
func decodeAzcore(text string) (s state, ok bool) {
	var outer struct {
		Token json.RawMessage `json:"token"`
	}
	raw := unwrapBase64([]byte(text))
	if json.Unmarshal(raw, &outer) == nil && len(outer.Token) > 0 {
		raw = unwrapBase64(outer.Token)
	}
	var t azcoreToken
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &t) != nil || json.Unmarshal(raw, &members) != nil {
		return state{}, false
	}
	t.exact(members)
	memo, poll := t.strategy()
	if poll == "" {
		return state{}, false
	}
	memo.Location, _ = resolveRef(t.OrigURL, t.LocURL)
	memo.Member = t.ResultPath
	s = state{
		Method: strings.ToUpper(t.Method), Target: t.OrigURL, rules: makeRules(rules{Via: FinalStateVia(strings.ToLower(string(t.FinalState)))}),
		Poll: poll, Inline: memo.Strategy == Location || memo.Strategy == ProvisioningState,
		Status: summary{State: InProgress}, LastRead: time.Now(), Next: time.Now(),
	}
	if memo.Strategy == ProvisioningState {
		s.Target = poll
	}
	s.memo = memo.known()
	return s, makeToken(&s).check() == nil
}

// exact forgets the members that azcore tells its pollers by where they are spelt
// otherwise: it compares these exactly, and decodes the rest as encoding/json does.
func (t *azcoreToken) exact(members map[string]json.RawMessage) {
	for name, value := range map[string]*string{"type": &t.Type, "asyncURL": &t.AsyncURL, "oplocURL": &t.OpLocURL} {
		if _, ok := members[name]; !ok {
			*value = ""
		}
	}
}

// strategy tells which of azcore's pollers made the token, and what it polled, in the
// order in which azcore asks itself.
func (t *azcoreToken) strategy() (armMemo, string) {
	switch {
	case t.AsyncURL != "":
		return armMemo{Strategy: AzureAsyncOperation}, t.AsyncURL
	case t.Type == "body":
		return armMemo{Strategy: ProvisioningState}, t.PollURL
	case t.Type == "loc":
		return armMemo{Strategy: Location}, t.PollURL
	case t.OpLocURL != "":
		return armMemo{Strategy: OperationLocation}, t.OpLocURL
	}
	return armMemo{}, ""
}

// unwrapBase64 returns what b holds in base64, as a JSON string or bare, else b.
func unwrapBase64(b []byte) []byte {
	var s string
	if json.Unmarshal(b, &s) != nil {
		s = string(b)
	}
	s = strings.TrimRight(strings.TrimSpace(s), "=")
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if plain, err := enc.DecodeString(s); err == nil {
			return plain
		}
	}
	return []byte(s)
}
