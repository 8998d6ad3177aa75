package exchange_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	lroerrors "github.com/lro-go/lro/errors"
	"github.com/lro-go/lro/internal/exchange"
)

type detail = lroerrors.Detail

const runtimeError = `<!DOCTYPE html>
<html>
    <head>
        <title>Runtime Error</title>
        <meta name="viewport" content="width=device-width" />
        <style>
         body {font-family:"Verdana";font-weight:normal;color:black;}
        </style>
        <script>if (a < b) { document.write("<b>no</b>") }</script>
    </head>
    <body bgcolor="white">
            <span><H1>Server Error in &#39;/&#39; Application.<hr width=100% size=1 color=silver></H1>
            <h2> <i>Runtime Error</i> </h2></span>
            <b> Description: </b>An application error occurred &amp; was hidden.
    </body>
</html>
<!-- [HttpException]: A > B, at System.Web -->`

func TestDetail(t *testing.T) {
	coded := http.Header{"X-Ms-Error-Code": {"FromHeader"}}
	page := "Runtime Error Server Error in '/' Application. Runtime Error Description: An application error occurred & was hidden."
	tests := []struct {
		name string
		h    http.Header
		body string
		want *detail
	}{
		{"empty", nil, "", nil},
		{"white space", nil, " \r\n", nil},
		{"null", nil, "null", nil},
		{"null and white space", nil, " null\n", nil},
		{"an empty string", nil, `""`, nil},
		{"an empty object", nil, "{ }", nil},
		{"an empty list", nil, "[\n]", nil},
		{"nothing but a code in the header", coded, "", &detail{Code: "FromHeader"}},
		{"an empty object and a header", coded, "{}", &detail{Code: "FromHeader"}},
		{"a message and a header", coded, `{"error":{"message":"later"}}`, &detail{Code: "FromHeader", Message: "later"}},
		{"a code in both", coded, `{"error":{"code":"Busy"}}`, &detail{Code: "Busy"}},
		{"a page and a header", coded, "<p>no", &detail{Code: "FromHeader", Message: "no"}},

		{"an error", nil, `{"error":{"code":"Busy","message":"later"}}`, &detail{Code: "Busy", Message: "later"}},
		{"a page", nil, runtimeError, &detail{Message: page}},
		{"a page cut in a tag", nil, "<html><title>Gateway</title><body><h1>Bad gate<b cla", &detail{Message: "Gateway Bad gate"}},
		{"a page cut in its title", nil, "<html><title>Gateway err", &detail{Message: "Gateway err"}},
		{"a page cut in its style", nil, "<html><title>Gateway</title><style>b { x: y }", &detail{Message: "Gateway"}},
		{"a page cut in a comment", nil, "<html>Gateway <!-- secret", &detail{Message: "Gateway"}},
		{"a page without </head>", nil, "<html><head><title>T</title><body>text", &detail{Message: "T text"}},
		{"a style before the title", nil, "<head><style>a</style><title>T</title></head><header>text</header>", &detail{Message: "T text"}},
		{"XML", nil, "<?xml version=\"1.0\"?><Error><Code>AuthenticationFailed</Code><Message>No.</Message></Error>", &detail{Code: "AuthenticationFailed", Message: "No."}},
		{"XML with a namespace and a header", coded, `<m:error xmlns:m="urn:m"><m:code>Missing</m:code><m:message xml:lang="en"> No. </m:message></m:error>`, &detail{Code: "Missing", Message: "No."}},
		{"XML with a message alone", coded, "<Error><Message>No &amp; no.</Message></Error>", &detail{Code: "FromHeader", Message: "No & no."}},
		{"XML with another root", nil, "<Fault><Code>A</Code><Message>No.</Message></Fault>", &detail{Message: "A No."}},
		{"XML without an error", nil, "<Error><Reason>No.</Reason></Error>", &detail{Message: "No."}},
		{"text before XML", nil, "Rejected: <Error><Code>A</Code><Message>No.</Message></Error>", &detail{Message: "Rejected: <Error><Code>A</Code><Message>No.</Message></Error>"}},
		{"XML cut short", nil, "<Error><Code>A</Code><Message>No", &detail{Message: "A No"}},
		{"JSON behind a byte order mark", nil, "\ufeff" + `{"error":{"code":"Busy"}}`, &detail{Code: "Busy"}},
		{"nothing behind a byte order mark", nil, "\ufeff", nil},
		{"plain text", nil, "The service is\r\n\tbusy. ", &detail{Message: "The service is busy."}},
		{"a quoted string", nil, `"Solution Not Found : s1"`, &detail{Message: "Solution Not Found : s1"}},
		{"JSON without an error", nil, ` {"something-went": "wrong"}` + "\n", &detail{Message: `{"something-went": "wrong"}`}},
		{"an error that says little", nil, `{"error":true}`, &detail{Message: `{"error":true}`}},
		{"a number", nil, `0`, &detail{Message: `0`}},
		{"JSON cut short", nil, `{"error":{"code":"Bus`, &detail{Message: `{"error":{"code":"Bus`}},
		{"JSON with a tail", nil, `{"error":{"code":"Busy"}} x`, &detail{Message: `{"error":{"code":"Busy"}} x`}},
		{"invalid UTF-8", nil, "caf\xe9 closed", &detail{Message: "caf\uFFFD closed"}},
		{"invalid UTF-8 in JSON", nil, "{\"x\":\"caf\xe9\"}", &detail{Message: "{\"x\":\"caf\uFFFD\"}"}},
		{"UTF-16", nil, "\xff\xfeb\x00", &detail{Message: "\uFFFDb\x00"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, exchange.ErrorDetail(tt.h, []byte(tt.body)))
		})
	}
}

// ErrorDetail decodes bodies that were recorded from real services. An ellipsis marks text that was
// left out.
func TestRecordedDetails(t *testing.T) {
	const queue = "\ufeff" + `<?xml version="1.0" encoding="utf-8"?><Error><Code>QueueNotFound</Code><Message>The specified queue …
RequestId:…
Time:…</Message></Error>`
	require.Equal(t, &detail{Code: "QueueNotFound", Message: "The specified queue …\nRequestId:…\nTime:…"}, exchange.ErrorDetail(nil, []byte(queue)))

	const limit = `You have reached the limit … API calls.Please retry after '2023-11-27T09:04:57.0000000Z' UTC.`
	require.Equal(t, &detail{Message: limit}, exchange.ErrorDetail(nil, []byte(limit)))
}

// ErrorDetail treats a very long XML error like an HTML page.
func TestLongXML(t *testing.T) {
	d := exchange.ErrorDetail(nil, []byte("<Error><Code>A</Code><Message>"+strings.Repeat("x", 64<<10)+"</Message></Error>"))
	require.Empty(t, d.Code)
	require.True(t, strings.HasPrefix(d.Message, "A xxx"))
}

// The message contains only readable text, no matter where the page is truncated.
func TestTruncatedPages(t *testing.T) {
	for n := range len(runtimeError) {
		d := exchange.ErrorDetail(nil, []byte(runtimeError[:n]))
		if d == nil {
			continue
		}
		require.NotContains(t, d.Message, "<", "%d", n)
		require.NotContains(t, d.Message, "Verdana", "%d", n)
		require.NotContains(t, d.Message, "document", "%d", n)
		require.NotContains(t, d.Message, "HttpException", "%d", n)
	}
}

func TestHugeBodies(t *testing.T) {
	const size = 4 << 20
	for name, body := range map[string]string{
		"text":        strings.Repeat("x", size),
		"words":       strings.Repeat("ä ", size/3),
		"tags":        strings.Repeat("<b>", size/3),
		"open tags":   strings.Repeat("<", size),
		"titles":      strings.Repeat("<title>", size/7),
		"white space": strings.Repeat(" ", size) + "x",
		"JSON":        `{"x":"` + strings.Repeat("ä", size/2) + `"}`,
		"not UTF-8":   strings.Repeat("\xe9", size),
		"XML":         "<Error><Code>A</Code><Message>" + strings.Repeat("x", size) + "</Message></Error>",
		"short XML":   "<Error><Message>" + strings.Repeat("ä", 30<<10) + "</Message></Error>",
		"entities":    "<p>" + strings.Repeat("&lt;", size/4),
	} {
		d := exchange.ErrorDetail(nil, []byte(body))
		if d == nil {
			continue
		}
		require.LessOrEqual(t, len(d.Message), 1003, name)
		require.True(t, utf8.ValidString(d.Message), name)
	}
}

func TestDocumentDetail(t *testing.T) {
	coded := http.Header{"X-Ms-Error-Code": {"FromHeader"}}
	tests := []struct {
		h    http.Header
		body string
		want *detail
	}{
		{nil, `{"status":"Failed","error":{"code":"Busy","message":"later"}}`, &detail{Code: "Busy", Message: "later"}},
		{nil, `{"properties":{"provisioningState":"Failed","error":{"code":"Busy"}}}`, &detail{Code: "Busy"}},
		{coded, `{"status":"Failed","error":{"message":"later"}}`, &detail{Code: "FromHeader", Message: "later"}},
		{coded, `{"status":"Failed"}`, &detail{Code: "FromHeader"}},
		{nil, "\ufeff" + `{"status":"Failed","error":{"code":"Busy"}}`, &detail{Code: "Busy"}},
		{nil, `{"status":"Failed"}`, nil},
		{nil, `{"status":"Failed","error":null}`, nil},

		{nil, `{"id":"/x","name":"op-1","status":"Succeeded","startTime":"…","properties":{"message":"done","code":"0"}}`, nil},
		{nil, `{"id":"op-1","href":"https://a.test/op-1","status":"succeeded","target":{"href":"https://a.test/w"},"errors":[],"trace":"t"}`, nil},
		{nil, `{"id":"/x","type":"T","location":"l","tags":{"error":"none"},"properties":{"provisioningState":"Succeeded","error":{}}}`, nil},
		{nil, `{"status":"InProgress","percentComplete":50,"error":"","details":[]}`, nil},
		{nil, `{"value":[{"error":{"code":"c"}}],"nextLink":null}`, nil},
		{nil, `{}`, nil},
		{nil, `null`, nil},
		{nil, ``, nil},
		{nil, `<html>`, nil},
		{nil, `plain`, nil},
		{nil, `{"error":{"code":"Bus`, nil},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, exchange.DocumentDetail(tt.h, []byte(tt.body)), tt.body)
	}
}

func TestIDs(t *testing.T) {
	for _, tt := range []struct{ header, request, correlation string }{
		{"X-Ms-Request-Id", "1", ""},
		{"X-Request-Id", "1", ""},
		{"X-Ms-Correlation-Request-Id", "", "1"},
		{"X-Correlation-Id", "", "1"},
		{"Transaction-Id", "", "1"},
	} {
		h := http.Header{tt.header: {"1"}}
		require.Equal(t, tt.request, exchange.RequestID(h), tt.header)
		require.Equal(t, tt.correlation, exchange.CorrelationID(h), tt.header)
	}
	both := http.Header{"X-Ms-Request-Id": {"1"}, "X-Request-Id": {"2"}, "X-Ms-Correlation-Request-Id": {"3"}, "X-Correlation-Id": {"4"}}
	require.Equal(t, "1", exchange.RequestID(both))
	require.Equal(t, "3", exchange.CorrelationID(both))
}
