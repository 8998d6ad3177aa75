package security

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"

	"github.com/lro-go/lro/poller"
	"github.com/lro-go/lro/poller/ibmcloud"
	"github.com/lro-go/lro/poller/resource"
	"github.com/lro-go/lro/poller/strategy"
)

const (
	resourcePath = "/widgets/w1"
	monitorPath  = "/operations/op1"
)

// A way is one way for a hostile service or token to pass a URL to a poller.
type way struct {
	name       string
	method     string                 // the method of the request that starts the operation
	replies    func(u string) replies // the replies of the hostile service; u is the URL to put into them
	opts       poller.Options
	token      func(u string) string // returns a token that contains the URL u; if nil, the test calls Begin instead of Resume
	at         place                 // the call that must reject the URL
	unread     bool                  // the URL is never requested, even if it is allowed
	asRedirect bool                  // the URL is in a redirect, so net/http parses it first
	writes     bool                  // the URL is in a redirect of a write; a client follows it only if FollowWrites is set
	renews     bool                  // needs a client that can get a second token
	asBase     bool                  // the URL is only the base for a relative URL
	code       int                   // the status code of a response from the URL; 0 means 200
	asks       string                // the method used to request the URL; "" means GET
	verbatim   bool                  // the poller does not replace http with https in the URL
	inMemo     bool                  // the strategy stores the URL in the token
}

type replies map[string][]answer

// A place is the call that must reject a URL. The comment after a place names the error from that
// call.
type place string

const (
	atFirst  place = "the first request" // *StatusError, because no operation has started
	atBegin  place = "New and Begin"     // *WaitError with ReasonUnfollowable
	atPoll   place = "a poll"            // *WaitError
	atResult place = "the result"        // *ResultError
	atCancel place = "Cancel"            // *StatusError
	atResume place = "Resume"
)

var (
	running   = answer{200, nil, `{"status":"Running"}`}
	succeeded = answer{200, nil, `{"status":"Succeeded"}`}
)

// hostile is the response to a request for /h. Every strategy and the pager accept it as a final
// response.
var hostile = answer{200, nil, `{"status":"Succeeded","id":"/h","value":[],"properties":{"provisioningState":"Succeeded"},"last_operation":{"state":"succeeded","type":"create"}}`}

func ways() []way {
	all := append(firstHeaders(), updatedHeaders()...)
	all = append(all, results()...)
	all = append(all, strategies()...)
	all = append(all, ibm()...)
	all = append(all, redirects()...)
	return append(all, tokens()...)
}

func firstHeaders() (all []way) {
	for _, header := range []string{"Azure-AsyncOperation", "Operation-Location", "Location"} {
		for _, method := range []string{"POST", "DELETE"} {
			all = append(all, way{
				name: "first " + header, method: method, at: atBegin,
				replies: func(u string) replies { return replies{method + " " + resourcePath: {accept(header, u)}} },
			})
		}
	}
	return all
}

// accept returns a 202 whose headers are given as alternating names and values.
func accept(header ...string) answer {
	h := map[string]string{}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	return answer{202, h, ""}
}

func updatedHeaders() (all []way) {
	for header, answers := range map[string]answer{
		"Azure-AsyncOperation": running, "Operation-Location": running, "Location": {202, nil, ""},
	} {
		all = append(all, way{
			name: "updated " + header, method: "POST", at: atPoll,
			replies: func(u string) replies {
				answers.header = map[string]string{header: u}
				return replies{"POST " + resourcePath: {accept(header, monitorPath)}, "GET " + monitorPath: {answers}}
			},
		})
	}
	return all
}

func results() []way {
	asyncOp := func(more ...string) func(string) replies {
		return func(u string) replies {
			return replies{
				"POST " + resourcePath: {accept(append(more, u, "Azure-AsyncOperation", monitorPath)...)}, "GET " + monitorPath: {succeeded},
			}
		}
	}
	return []way{
		{name: "result Location", method: "POST", at: atResult, replies: asyncOp("Location")},
		{
			name: "result Location of a poll", method: "POST", at: atResult,
			replies: func(u string) replies {
				late := answer{200, map[string]string{"Location": u}, succeeded.body}
				return replies{"POST " + resourcePath: {accept("Azure-AsyncOperation", monitorPath, "Location", "/r")}, "GET " + monitorPath: {late}, "GET /r": {hostile}}
			},
		},
		{
			name: "result Location after Operation-Location", method: "POST", at: atResult, opts: poller.Options{FinalStateVia: poller.FinalStateViaLocation},
			replies: func(u string) replies {
				return replies{"POST " + resourcePath: {accept("Location", u, "Operation-Location", monitorPath)}, "GET " + monitorPath: {succeeded}}
			},
		},
		{
			name: "resourceLocation", method: "PUT", at: atResult,
			replies: func(u string) replies {
				return replies{
					"PUT " + resourcePath: {accept("Operation-Location", monitorPath)},
					"GET " + monitorPath:  {{200, nil, document("status", "succeeded", "resourceLocation", u)}},
				}
			},
		},
	}
}

// document returns a JSON object whose members are given as alternating names and string values.
func document(members ...string) string {
	m := map[string]string{}
	for i := 0; i < len(members); i += 2 {
		m[members[i]] = members[i+1]
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// naive is a strategy that trusts every response. Its memo is the URL that Cancel requests.
type naive struct{}

func (naive) Step(a strategy.Answer) (strategy.Move, error) {
	mv := strategy.Move{Poll: a.Text("/poll"), Result: strategy.Result{URL: a.Text("/result")}, Memo: raw(jsonText(a.Text("/cancel")))}
	mv.Status.State = a.State(a.Text("/status"))
	return mv, nil
}

func (naive) Cancel(a strategy.Answer) (*poller.Request, error) {
	var u string
	err := json.Unmarshal(a.Memo, &u)
	return &poller.Request{Method: http.MethodDelete, URL: u}, err
}

func strategies() []way {
	opts := poller.Options{Strategy: naive{}}
	first := func(members ...string) answer { return answer{202, nil, document(members...)} }
	return []way{
		{name: "Move.Poll of the first answer", method: "POST", opts: opts, at: atBegin, replies: func(u string) replies {
			return replies{"POST " + resourcePath: {first("poll", u)}}
		}},
		{name: "Move.Poll", method: "POST", opts: opts, at: atPoll, replies: func(u string) replies {
			return replies{"POST " + resourcePath: {first("poll", monitorPath)}, "GET " + monitorPath: {first("poll", u)}}
		}},
		{name: "Move.Result", method: "POST", opts: opts, at: atResult, replies: func(u string) replies {
			return replies{"POST " + resourcePath: {first("poll", monitorPath)}, "GET " + monitorPath: {first("status", "succeeded", "result", u)}}
		}},
		{name: "Canceler", method: "POST", opts: opts, at: atCancel, asks: "DELETE", inMemo: true, replies: func(u string) replies {
			return replies{"POST " + resourcePath: {first("poll", monitorPath, "cancel", u)}}
		}},
	}
}

func ibm() []way {
	operation, resource := poller.Options{Strategy: ibmcloud.Operation{}}, poller.Options{Strategy: resource.Strategy{}}
	target := poller.Options{Strategy: ibmcloud.Operation{Target: "/widget"}}
	first := func(a answer) replies { return replies{"POST " + resourcePath: {a}} }
	href := func(u string) replies { return first(answer{202, nil, document("status", "in_progress", "href", u)}) }
	end := func(body string) replies {
		return replies{"POST " + resourcePath: {accept("Location", monitorPath)}, "GET " + monitorPath: {{200, nil, body}}}
	}
	header := func(name string) func(string) replies {
		return func(u string) replies { return first(accept(name, u)) }
	}
	return []way{
		{name: "IBM Location", method: "POST", opts: operation, at: atBegin, replies: header("Location")},
		{name: "IBM Content-Location", method: "POST", opts: operation, at: atBegin, replies: header("Content-Location")},
		{name: "IBM href", method: "POST", opts: operation, at: atBegin, replies: href},
		{name: "IBM href of a resource", method: "POST", opts: resource, at: atBegin, replies: href},
		{name: "IBM Location of a resource", method: "POST", opts: resource, at: atBegin, replies: header("Location")},
		{name: "IBM url", method: "POST", opts: poller.Options{Strategy: ibmcloud.ResourceController()}, at: atBegin, replies: func(u string) replies {
			return first(answer{202, nil, document("url", u)})
		}},
		{name: "IBM href with the query kept", method: "POST", opts: poller.Options{Strategy: ibmcloud.VPC("succeeded")}, at: atBegin, replies: href},
		{name: "IBM target", method: "POST", opts: operation, at: atResult, replies: func(u string) replies {
			return end(`{"status":"succeeded","resource":` + document("href", u) + `}`)
		}},
		{name: "IBM named target", method: "POST", opts: target, at: atResult, replies: func(u string) replies {
			return end(document("status", "succeeded", "widget", u))
		}},
	}
}

func redirects() (all []way) {
	for _, code := range []int{301, 302, 303, 307, 308} {
		to := func(u string) answer { return answer{code, map[string]string{"Location": u}, ""} }
		kept, see := code >= 307, code == 303
		then := func(method string) string {
			if see {
				return "GET"
			}
			return method
		}
		name := func(of string) string { return fmt.Sprintf("%d of %s", code, of) }
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "PATCH"} {
			all = append(all, way{
				name: name("the first " + method), method: method, at: atFirst, asks: then(method), unread: !kept && !see && method != "GET", writes: kept && method != "GET",
				replies: func(u string) replies { return replies{method + " " + resourcePath: {to(u)}} },
			})
			if method != "GET" {
				all = append(all, way{
					name: name("a cancel " + method), method: "POST", at: atCancel, asks: then(method), unread: !kept && !see, writes: kept,
					opts: poller.Options{CancelRequest: func(poller.Status) (*poller.Request, error) {
						return &poller.Request{Method: method, URL: "/cancel"}, nil
					}},
					replies: func(u string) replies {
						return replies{"POST " + resourcePath: {accept("Location", monitorPath)}, method + " /cancel": {to(u)}}
					},
				})
			}
		}
		pollReplies := func(then ...answer) replies {
			return replies{"POST " + resourcePath: {accept("Location", monitorPath)}, "GET " + monitorPath: then}
		}
		all = append(all,
			way{name: name("a poll"), method: "POST", at: atPoll, replies: func(u string) replies { return pollReplies(answer{code: 202}, to(u)) }},
			way{name: name("a poll after a 401"), method: "POST", at: atPoll, replies: func(u string) replies { return pollReplies(answer{code: 401}, to(u)) }},
			way{name: name("a poll after a 503"), method: "POST", at: atPoll, replies: func(u string) replies { return pollReplies(answer{code: 503}, to(u)) }},
			way{name: name("the first POST after a 401"), renews: true, method: "POST", at: atFirst, asks: then("POST"), unread: !kept && !see, writes: kept, replies: func(u string) replies {
				return replies{"POST " + resourcePath: {{code: 401}, to(u)}}
			}},
			way{name: name("a redirect"), method: "POST", at: atPoll, replies: func(u string) replies {
				r := pollReplies(answer{code, map[string]string{"Location": "/moved"}, ""})
				r["GET /moved"] = []answer{to(u)}
				return r
			}},
			way{name: name("the result"), method: "PUT", at: atResult, replies: func(u string) replies {
				return replies{
					"PUT " + resourcePath: {{201, map[string]string{"Azure-AsyncOperation": monitorPath}, "{}"}},
					"GET " + monitorPath:  {succeeded}, "GET " + resourcePath: {to(u)},
				}
			}},
		)
	}
	for i := range all {
		all[i].asRedirect = true
	}
	for _, code := range []int{401, 403, 429, 503} { // not redirects, despite their Location header
		all = append(all, way{name: fmt.Sprintf("%d with a Location", code), method: "POST", at: atPoll, unread: true, replies: func(u string) replies {
			no := answer{code, map[string]string{"Location": u, "Azure-AsyncOperation": u, "Operation-Location": u, "Content-Location": u}, ""}
			return replies{"POST " + resourcePath: {accept("Location", monitorPath)}, "GET " + monitorPath: {no}}
		}})
	}
	return all
}

// tokens returns a way for each member of a resume token that may contain a URL.
func tokens() []way {
	// forged returns a valid token with some members changed.
	forged := func(change map[string]any) string {
		m := map[string]any{
			"lro": 1, "phase": "polling", "method": "POST", "target": home + resourcePath, "poll": home + monitorPath,
			"memo": object{"strategy": "azure-async-operation"}, "status": object{"state": "InProgress"},
		}
		maps.Copy(m, change)
		return jsonText(m)
	}
	theirs := func(members object) string { return jsonText(object{"type": "T", "token": members}) }
	unfollowed := func(first, change object) string {
		m := object{"phase": "unfollowed", "poll": "", "memo": nil, "first": first}
		maps.Copy(m, change)
		return forged(m)
	}
	ended := object{"state": "Succeeded"}
	atMonitor := func(string) replies { return replies{"GET " + monitorPath: {succeeded}} }
	gone := func(string) replies { return replies{} }
	first := func(url, location string) object {
		return object{"url": url, "code": 202, "header": map[string][]string{"Location": {location}}}
	}
	return []way{
		{name: "token: poll", at: atResume, replies: gone, token: func(u string) string { return forged(object{"poll": u}) }},
		{name: "token: target", at: atResume, replies: atMonitor, token: func(u string) string { return forged(object{"target": u, "method": "PUT"}) }},
		{name: "token: target that is asked in place of the status", code: 404, at: atResume, replies: gone, token: func(u string) string {
			return forged(object{
				"target": u, "method": "DELETE", "poll": u, "else": home + monitorPath,
				"memo": object{"crossCheck": object{"status": home + monitorPath, "lost": true}, "inner": object{"strategy": "azure-async-operation"}},
			})
		}},
		{name: "token: memo location", at: atResult, replies: atMonitor, token: func(u string) string {
			return forged(object{"memo": object{"strategy": "azure-async-operation", "location": u}})
		}},
		{name: "token: memo location of Operation-Location", at: atResult, replies: atMonitor, token: func(u string) string {
			return forged(object{"memo": object{"strategy": "operation-location", "location": u}, "finalStateVia": "location"})
		}},
		{name: "token: result", at: atResult, replies: gone, verbatim: true, token: func(u string) string {
			return forged(object{"phase": "reading", "status": ended, "result": object{"url": u}})
		}},
		{name: "token: result from", at: atResult, replies: gone, unread: true, token: func(u string) string {
			return forged(object{"phase": "ended", "status": ended, "result": object{"body": "{}", "from": u}})
		}},
		{name: "token: else", at: atResume, replies: gone, token: func(u string) string { return forged(object{"else": u}) }},
		{name: "token: memo that cancels", at: atCancel, asks: "DELETE", opts: poller.Options{Strategy: naive{}}, replies: atMonitor, token: func(u string) string {
			return forged(object{"memo": u})
		}},
		{name: "token: first URL", asBase: true, at: atResume, replies: gone, token: func(u string) string {
			return unfollowed(first(u, "h"), object{"target": ""})
		}},
		{name: "token: first header", at: atBegin, replies: gone, token: func(u string) string {
			return unfollowed(first(home+resourcePath, u), nil)
		}},
		{name: "token: first header, IBM", at: atBegin, replies: gone, opts: poller.Options{Strategy: ibmcloud.Operation{}}, token: func(u string) string {
			return unfollowed(first(home+resourcePath, u), nil)
		}},
		{name: "azcore token: asyncURL", at: atResume, replies: gone, token: func(u string) string {
			return theirs(object{"asyncURL": u, "origURL": home + resourcePath, "method": "POST"})
		}},
		{name: "azcore token: oplocURL", at: atResume, replies: gone, token: func(u string) string {
			return theirs(object{"oplocURL": u, "origURL": home + resourcePath, "method": "POST"})
		}},
		{name: "azcore token: body", at: atResume, replies: gone, token: func(u string) string { return theirs(object{"type": "body", "pollURL": u}) }},
		{name: "azcore token: loc", at: atResume, replies: gone, token: func(u string) string { return theirs(object{"type": "loc", "pollURL": u}) }},
		{name: "azcore token: locURL", at: atResult, replies: atMonitor, token: func(u string) string {
			return theirs(object{"asyncURL": home + monitorPath, "locURL": u, "origURL": home + resourcePath, "method": "POST", "finalState": "location"})
		}},
		{name: "azcore token: origURL", at: atResume, replies: atMonitor, token: func(u string) string {
			return theirs(object{"asyncURL": home + monitorPath, "origURL": u, "method": "PUT"})
		}},
	}
}

type object = map[string]any

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
