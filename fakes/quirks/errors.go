package quirks

import (
	"net/http"

	"github.com/lro-go/lro/fakes/internal/engine"
)

// Quirks of the format of an error: of an operation that fails or is canceled, and
// of a [Synchronous] one that is refused. Code and message come from the [Plan] if
// the format has them. A client that decodes only the contract's format loses the
// reason of the failure, or even misses the failure.
const (
	// ErrorAdditionalInfo adds an additionalInfo with an ActivityId.
	ErrorAdditionalInfo Quirk = "W41/additional-info"

	// ErrorCapitalized is the format of App Service: Code, Message, Target,
	// Details and Innererror at the top level, with an ErrorEntity among the
	// details. Location returns it.
	ErrorCapitalized Quirk = "W41/capitals"

	// ErrorDetailsExtended adds activityId, possibleCauses and
	// recommendedAction to each detail, next to code and message.
	ErrorDetailsExtended Quirk = "W41/details"

	// ErrorNested is the format of DevCenter: a detail has details and
	// additionalInfo, too.
	ErrorNested Quirk = "W41/nested"

	// ErrorWithoutCode is the format of Palo Alto Networks: only a message.
	ErrorWithoutCode Quirk = "W41/no-code"

	// ErrorEmpty has no body. Location returns it, like every error that is not
	// a JSON object, because a status document could not report the failure.
	ErrorEmpty Quirk = "W41/empty"

	// ErrorHTML is an HTML page with the title "Runtime Error", cut short.
	ErrorHTML Quirk = "W41/html"

	// ErrorText is one sentence of plain text.
	ErrorText Quirk = "W41/text"

	// ErrorQuoted is the format of Log Analytics: one sentence as a JSON
	// string.
	ErrorQuoted Quirk = "W41/string"

	// ErrorUnknown is a JSON object without any known member.
	ErrorUnknown Quirk = "W41/unknown"

	// ErrorAbsent is {"status":"Failed"} without an error.
	ErrorAbsent Quirk = "W41/status-alone"

	// ErrorBelowProperties puts the error in properties.error.
	ErrorBelowProperties Quirk = "W41/below-properties"

	// ErrorMessageObject has an object as its message, with the text as value.
	ErrorMessageObject Quirk = "W41/message-object"

	// ErrorDetailsObject has one object as its details instead of an array.
	ErrorDetailsObject Quirk = "W41/details-object"

	// ErrorNull has null as its error.
	ErrorNull Quirk = "W41/error-null"

	// ErrorIsString has the message as its error, as a string.
	ErrorIsString Quirk = "W41/error-string"

	// ErrorNumericCode has the number 40901 as its code.
	ErrorNumericCode Quirk = "W41/numeric-code"

	// ErrorCodeInHeader has its code only in the header x-ms-error-code, and no
	// message.
	ErrorCodeInHeader Quirk = "W41/code-in-header"
)

var quirksOfErrors = []entry{
	{ErrorAdditionalInfo, "the error has an ActivityId in additionalInfo", errorMember(additionalInfo)},
	{ErrorCapitalized, "App Service's error: capitalized members at the top level",
		errorWhole("application/json", capitalized)},
	{ErrorDetailsExtended, "the details have additional members", errorMember(extendedDetails)},
	{ErrorNested, "the details have details of their own", errorMember(nestedDetails)},
	{ErrorWithoutCode, "the error has a message and no code",
		errorMember(func(e engine.Error) any { return engine.Object{"message": e.Message} })},
	{ErrorEmpty, "the failure has no body", errorWhole("", func(engine.Error) string { return "" })},
	{ErrorHTML, "the failure is a truncated HTML page",
		errorWhole("text/html; charset=utf-8", func(engine.Error) string { return runtimeError })},
	{ErrorText, "the failure is a message in plain text",
		errorWhole("text/plain; charset=utf-8", func(e engine.Error) string { return e.Message })},
	{ErrorQuoted, "the failure is a message as a JSON string",
		errorWhole("application/json", func(e engine.Error) string { return string(engine.Encode(e.Message)) })},
	{ErrorUnknown, "the failure is JSON that has no known error member",
		errorWhole("application/json", func(engine.Error) string { return `{"something-went":"wrong"}` })},
	{ErrorAbsent, "the document is only {\"status\":\"Failed\"}",
		errorDocument(func(o engine.Object, op *engine.Operation, _ *engine.Answer) {
			clear(o)
			o["status"] = op.Status()
		})},
	{ErrorBelowProperties, "the error is in properties.error",
		errorDocument(func(o engine.Object, op *engine.Operation, _ *engine.Answer) {
			delete(o, "error")
			engine.SetProperty(o, "error", op.Failure)
		})},
	{ErrorMessageObject, "message is an object that holds the text in value",
		errorMember(func(e engine.Error) any {
			return engine.Object{"code": e.Code, "message": engine.Object{"lang": "en-us", "value": e.Message}}
		})},
	{ErrorDetailsObject, "details is a single object instead of a list", errorMember(func(e engine.Error) any {
		return engine.Object{"code": e.Code, "message": e.Message, "details": engine.Object{"code": "Inner", "message": "The inner reason."}}
	})},
	{ErrorNull, "error is null", errorMember(func(engine.Error) any { return nil })},
	{ErrorIsString, "error is a string", errorMember(func(e engine.Error) any { return e.Message })},
	{ErrorNumericCode, "the error code is a number",
		errorMember(func(e engine.Error) any { return engine.Object{"code": 40901, "message": e.Message} })},
	{ErrorCodeInHeader, "the error code is only in x-ms-error-code",
		errorDocument(func(o engine.Object, op *engine.Operation, a *engine.Answer) {
			delete(o, "error")
			a.Set("X-Ms-Error-Code", op.Failure.Code)
		})},
}

// fails reports whether the response to q reports a failed operation or refuses
// q.
func fails(q *engine.Request) bool {
	return q.Op != nil && q.Op.Reported && q.Op.Ending != engine.Succeeded && (q.Polls("") || q.Started())
}

// errorDocument changes the object that reports a failure: a status document,
// or an object with only the error.
func errorDocument(change func(o engine.Object, op *engine.Operation, a *engine.Answer)) func() engine.Hooks {
	return func() engine.Hooks {
		return engine.Hooks{Answer: func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
			if fails(q) {
				a.Header.Del("X-Ms-Error-Code") // otherwise it would reveal the code
				a.Edit(func(o engine.Object) { change(o, q.Op, a) })
			}
		}}
	}
}

func errorMember(value func(engine.Error) any) func() engine.Hooks {
	return errorDocument(func(o engine.Object, op *engine.Operation, _ *engine.Answer) { o["error"] = value(op.Failure) })
}

// errorWhole replaces the whole response that reports a failure. Operations
// that would use a status document use Location instead.
func errorWhole(contentType string, body func(engine.Error) string) func() engine.Hooks {
	return func() engine.Hooks {
		return engine.Hooks{
			Plan: func(q *engine.Request, p *engine.Plan) {
				if p.Ending == engine.Failed || p.Ending == engine.Canceled {
					byLocation()(q, p)
				}
			},
			Answer: func(_ *engine.Service, q *engine.Request, a *engine.Answer) {
				if !fails(q) || q.Polls("") && q.View != engine.ResultURL {
					return
				}
				*a = engine.Answer{StatusCode: a.StatusCode, Body: []byte(body(q.Op.Failure)), Header: http.Header{}}
				if contentType != "" {
					a.Set("Content-Type", contentType)
				}
			},
		}
	}
}

func additionalInfo(e engine.Error) any {
	return engine.Object{"code": e.Code, "message": e.Message, "additionalInfo": []any{
		engine.Object{"type": "ActivityId", "info": engine.Object{"activityId": engine.GUID("a", 1)}},
	}}
}

func capitalized(e engine.Error) string {
	return string(engine.Encode(engine.Object{
		"Code": e.Code, "Message": e.Message, "Target": nil, "Innererror": nil,
		"Details": []any{
			engine.Object{"Message": e.Message},
			engine.Object{"Code": e.Code},
			engine.Object{"ErrorEntity": engine.Object{"ExtendedCode": "01", "MessageTemplate": "{0}", "Parameters": []any{}, "Code": e.Code, "Message": e.Message}},
		},
	}))
}

func extendedDetails(e engine.Error) any {
	return engine.Object{"code": "BadRequest", "message": "The request is not valid.", "details": []any{engine.Object{
		"activityId": engine.GUID("a", 1), "clientRequestId": engine.GUID("c", 1), "code": e.Code, "message": e.Message,
		"possibleCauses": "Another request was faster.", "recommendedAction": "Try again.",
	}}}
}

func nestedDetails(e engine.Error) any {
	return engine.Object{"code": "ValidationError", "message": "One or more validation errors occurred.", "details": []any{engine.Object{
		"code": e.Code, "target": "name", "message": e.Message, "additionalInfo": []any{},
		"details": []any{engine.Object{"code": "Inner", "message": "The inner reason.", "details": []any{}, "additionalInfo": []any{}}},
	}}}
}

// runtimeError is the page of a front end whose service has crashed.
const runtimeError = `<!DOCTYPE html>
<html>
    <head>
        <title>Runtime Error</title>
        <meta name="viewport" content="width=device-width" />
        <style>
         body {font-family:"Verdana";font-weight:normal;font-size: .7em;color:black;}
        </style>
    </head>
    <body bgcolor="white">
            <span><H1>Server Error in '/' Application.<hr width=100% size=1 color=silver></H1>
            <h2> <i>Runtime Error</i> </h2></span>
            <b> Description: </b>An application error occurred on the server. The current custom error setti`
