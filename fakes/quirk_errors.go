package fakes

import "net/http"

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

var quirksOfErrors = map[Quirk]func() behaviour{
	ErrorAdditionalInfo:  errorMember(additionalInfo),
	ErrorCapitalized:     errorWhole("application/json", capitalized),
	ErrorDetailsExtended: errorMember(extendedDetails),
	ErrorNested:          errorMember(nestedDetails),
	ErrorWithoutCode:     errorMember(func(e Error) any { return object{"message": e.Message} }),
	ErrorEmpty:           errorWhole("", func(Error) string { return "" }),
	ErrorHTML:            errorWhole("text/html; charset=utf-8", func(Error) string { return runtimeError }),
	ErrorText:            errorWhole("text/plain; charset=utf-8", func(e Error) string { return e.Message }),
	ErrorQuoted:          errorWhole("application/json", func(e Error) string { return string(encode(e.Message)) }),
	ErrorUnknown:         errorWhole("application/json", func(Error) string { return `{"something-went":"wrong"}` }),
	ErrorAbsent: errorDocument(func(o object, op *operation, _ *Answer) {
		clear(o)
		o["status"] = op.status()
	}),
	ErrorBelowProperties: errorDocument(func(o object, op *operation, _ *Answer) {
		delete(o, "error")
		property(o, "error", op.failure)
	}),
	ErrorMessageObject: errorMember(func(e Error) any {
		return object{"code": e.Code, "message": object{"lang": "en-us", "value": e.Message}}
	}),
	ErrorDetailsObject: errorMember(func(e Error) any {
		return object{"code": e.Code, "message": e.Message, "details": object{"code": "Inner", "message": "The inner reason."}}
	}),
	ErrorNull:        errorMember(func(Error) any { return nil }),
	ErrorIsString:    errorMember(func(e Error) any { return e.Message }),
	ErrorNumericCode: errorMember(func(e Error) any { return object{"code": 40901, "message": e.Message} }),
	ErrorCodeInHeader: errorDocument(func(o object, op *operation, a *Answer) {
		delete(o, "error")
		a.set("X-Ms-Error-Code", op.failure.Code)
	}),
}

// fails reports whether the response to q reports a failed operation or refuses
// q.
func (q *question) fails() bool {
	return q.op != nil && q.op.told && q.op.ending != Succeeded && (q.asks("") || q.begins())
}

// errorDocument changes the object that reports a failure: a status document,
// or an object with only the error.
func errorDocument(change func(o object, op *operation, a *Answer)) func() behaviour {
	return func() behaviour {
		return behaviour{answer: func(_ *Service, q *question, a *Answer) {
			if q.fails() {
				a.Header.Del("X-Ms-Error-Code") // otherwise it would reveal the code
				a.edit(func(o object) { change(o, q.op, a) })
			}
		}}
	}
}

func errorMember(value func(Error) any) func() behaviour {
	return errorDocument(func(o object, op *operation, _ *Answer) { o["error"] = value(op.failure) })
}

// errorWhole replaces the whole response that reports a failure. Operations
// that would use a status document use Location instead.
func errorWhole(contentType string, body func(Error) string) func() behaviour {
	return func() behaviour {
		return behaviour{
			plan: func(q *question, p *Plan) {
				if p.Ending == Failed || p.Ending == Canceled {
					byLocation()(q, p)
				}
			},
			answer: func(_ *Service, q *question, a *Answer) {
				if !q.fails() || q.asks("") && q.view != results {
					return
				}
				*a = Answer{StatusCode: a.StatusCode, Body: []byte(body(q.op.failure)), Header: http.Header{}}
				if contentType != "" {
					a.set("Content-Type", contentType)
				}
			},
		}
	}
}

func additionalInfo(e Error) any {
	return object{"code": e.Code, "message": e.Message, "additionalInfo": []any{
		object{"type": "ActivityId", "info": object{"activityId": guid("a", 1)}},
	}}
}

func capitalized(e Error) string {
	return string(encode(object{
		"Code": e.Code, "Message": e.Message, "Target": nil, "Innererror": nil,
		"Details": []any{
			object{"Message": e.Message},
			object{"Code": e.Code},
			object{"ErrorEntity": object{"ExtendedCode": "01", "MessageTemplate": "{0}", "Parameters": []any{}, "Code": e.Code, "Message": e.Message}},
		},
	}))
}

func extendedDetails(e Error) any {
	return object{"code": "BadRequest", "message": "The request is not valid.", "details": []any{object{
		"activityId": guid("a", 1), "clientRequestId": guid("c", 1), "code": e.Code, "message": e.Message,
		"possibleCauses": "Another request was faster.", "recommendedAction": "Try again.",
	}}}
}

func nestedDetails(e Error) any {
	return object{"code": "ValidationError", "message": "One or more validation errors occurred.", "details": []any{object{
		"code": e.Code, "target": "name", "message": e.Message, "additionalInfo": []any{},
		"details": []any{object{"code": "Inner", "message": "The inner reason.", "details": []any{}, "additionalInfo": []any{}}},
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
