package record

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// An azcoreToken holds what azcore stores about an operation.
type azcoreToken struct {
	PollURL    string `json:"pollURL"`
	LocURL     string `json:"locURL"`
	OrigURL    string `json:"origURL"` // the URL of the first request
	Method     string `json:"method"`
	FinalState string `json:"finalState"`
	ResultPath string `json:"resultPath"` // the member of the status document that holds the result
}

// convertAzcore converts an azcore token, raw or base64-encoded, to a token of this package for the
// same operation. It returns "" if text is not an azcore token. It ignores two members: the name of
// the result type, which means nothing to another program, and the state, because a token does not
// contain the response that reported a terminal state.
func convertAzcore(text string) string {
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
		return ""
	}
	// azcore matches the names of these members exactly, and all other names the way encoding/json
	// does.
	var kind, async, operation string
	for name, value := range map[string]*string{"type": &kind, "asyncURL": &async, "oplocURL": &operation} {
		if m, ok := members[name]; ok && json.Unmarshal(m, value) != nil {
			return ""
		}
	}
	switch { // in the order in which azcore recognizes its pollers
	case async != "":
		return t.follow("azure-async-operation", async)
	case kind == "body":
		t.OrigURL = t.PollURL
		return t.follow("provisioning-state", t.PollURL)
	case kind == "loc":
		return t.follow("location", t.PollURL)
	}
	return t.follow("operation-location", operation)
}

// follow returns a token for polling a URL with one of the Azure Resource Manager strategies.
func (t azcoreToken) follow(strategy, at string) string {
	if at == "" {
		return ""
	}
	memo := map[string]string{"strategy": strategy}
	for name, value := range map[string]string{"location": t.resolve(t.LocURL), "member": t.ResultPath} {
		if value != "" {
			memo[name] = value
		}
	}
	b, err := json.Marshal(map[string]any{
		"lro": 1, "phase": "polling", "method": strings.ToUpper(t.Method), "target": t.OrigURL, "poll": at, "memo": memo,
		"finalStateVia": strings.ToLower(t.FinalState), "inline": strategy == "location" || strategy == "provisioning-state",
		"status": map[string]string{"state": "InProgress"},
	})
	if err != nil {
		return ""
	}
	return string(b)
}

// resolve makes ref absolute. ref may be relative to the URL of the first request. If ref cannot be
// resolved, resolve returns "", because azcore ignores such a URL.
func (t azcoreToken) resolve(ref string) string {
	base, err := url.Parse(t.OrigURL)
	u, refErr := url.Parse(ref)
	switch {
	case refErr != nil || ref == "":
		return ""
	case u.IsAbs():
		return ref
	case err != nil || !base.IsAbs():
		return ""
	}
	return base.ResolveReference(u).String()
}

// unwrapBase64 decodes base64 text, which may be inside a JSON string. It returns any other text
// unchanged.
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
