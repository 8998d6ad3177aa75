// # Quirks
//
// What real services do that no specification says; after the arrow what becomes of
// the operation; and, after the bar, the option for what no client can know. Each row
// is a quirk that package fakes can switch on, by a name of its own, and tests hold
// it with exact times and requests.
//
// "Result" is that of a success, "too early" a success that the service told before
// it was one, "never ends" what the service itself never tells. In brackets are the
// fields that matter.
//
//	W1                    status URL is 404 at first
//	                      → result
//	W1/again              status URL is 404 once in the middle
//	                      → result; long DELETE: Gone | Patience
//	W2                    Location is the resource's path with an asyncId; no state but the code
//	                      → result or failure
//	W2                    the same with 201: Location looks like that of the resource
//	                      → too early | Strategy Location
//	W3                    DELETE: resource 404 before the end, Location ends in an empty 200
//	                      → no result, at the end
//	W4/capital            PUT 200, status URL has ProvisioningState and no status
//	                      → result or failure
//	W4/no-status          status URL answers with a resource without a state
//	                      → Patience | CrossCheck
//	W4/reverted           an update Succeeded and was taken back
//	                      → old resource | Confirm (State compares)
//	W5                    201 with the request's URL as Location, no state anywhere
//	                      → result at once
//	W6                    success at Location is an empty 200
//	                      → no result, at the end
//	W6                    success at a status URL is an empty 200
//	                      → Patience | Words ""
//	W7                    provisioningState ends with Completed
//	                      → result
//	W8                    PUT 200, provisioningState at the top level
//	                      → result
//	W9/200                PUT creates with 200
//	                      → result
//	W9/flag               PUT 202, no header; all that tells is a flag
//	                      → too early | Confirm (State reads the flag)
//	W9/flag               DELETE 202, no header; a flag tells
//	                      → Unfollowable | Strategy ProvisioningState, Confirm
//	W10                   words in progress that no specification has
//	                      → result; Status.Word tells them
//	W11                   URLs with :443 and in another case
//	                      → result, URLs as they are
//	W12                   Location at another host
//	                      → Unfollowable, nothing sent there | Origins
//	W13                   PUT 201 without a header; GET is 405
//	                      → result at once
//	W14                   PUT 201 with a relative Location of itself
//	                      → result at once
//	W15                   Location without api-version, refused with 400
//	                      → Refused, not failed | a Doer that adds it
//	W16                   DELETE: Location ends in 404
//	                      → no result, at the end
//	W17/delete            DELETE: status ends in 404 at times
//	                      → no result, at the end
//	W17/purge             POST purge: 202 at Location for ever
//	                      → never ends | CrossCheck (After; URL and State)
//	W18                   Deleting, 100 percent, for ever
//	                      → never ends | CrossCheck (After)
//	W19/404               status URL is 404 from first to last
//	                      → Gone | CrossCheck
//	W19/invalid           status URL has no host
//	                      → Unfollowable | Strategy ProvisioningState
//	W20                   in progress for ever, the resource has Succeeded
//	                      → never ends | CrossCheck (After)
//	W21                   Failed with InternalServerError, though it passes
//	                      → OperationError | Repeat (When)
//	W22                   after a failure Location is 500 for ever
//	                      → Patience | CrossCheck
//	W23/busy              Failed with StorageAccountOperationInProgress
//	                      → OperationError | Repeat
//	W23/retryable         Failed with RetryableError
//	                      → OperationError | Repeat
//	W24                   DELETE is accepted and fails in the end
//	                      → OperationError
//	W25                   DELETE: resource 404 before the end, parent refused
//	                      → no result, at the end
//	W26                   GET is 200 for a while after a DELETE
//	                      → no result, at once | Confirm
//	W27                   GET is 404 for a while after a create
//	                      → result, once it is there
//	W28                   GET is 200 and 404 in turn after a create
//	                      → result; gone again next | Confirm (Times)
//	W29                   POST register: 200 at once; its state comes and goes
//	                      → too early | Confirm (Times; URL and State)
//	W30                   GET is 404 now and then after a create
//	                      → result, once it is there | Confirm (Times)
//	W31                   GET is 403 for a while after a create
//	                      → result, once it may be read
//	W32/flapping          resource old and new in turn after a change
//	                      → old one | Confirm (Times; State compares)
//	W32/flapping          resource there and gone in turn after a DELETE
//	                      → no result, at once | Confirm (Times)
//	W32/stale             resource is the old one for ten minutes after a change
//	                      → old resource | Confirm (After)
//	W33                   Succeeded, but currentProtectionState is not there yet
//	                      → too early | Confirm (State reads it)
//	W34                   Succeeded, but resourceState is not Running yet
//	                      → too early | Confirm (State reads it)
//	W35                   Succeeded, but routingState is not Provisioned yet
//	                      → too early | Confirm (State reads it)
//	W36                   Succeeded, but provisioningState is Creating
//	                      → too early; at Location it goes on | Confirm
//	W37/moving            a synchronous PUT whose provisioningState moves on
//	                      → result at the end
//	W37/succeeded         PUT says Succeeded, and only later that it is Updating
//	                      → too early | Confirm
//	W38                   POST 200, nothing to poll; goes later
//	                      → too early | Confirm (URL of what is purged)
//	W39/endless           202 at Location for ever, the resource is there
//	                      → never ends | CrossCheck (After)
//	W39/stateless         202 and Location; the result has no provisioningState
//	                      → result
//	W40/200               DELETE 200, nothing to poll; the resource goes later
//	                      → too early | Confirm
//	W40/202               DELETE 202, nothing to poll
//	                      → Unfollowable | Strategy ProvisioningState
//	W41/additional-info   error with an ActivityId in additionalInfo
//	                      → OperationError, with it
//	W41/below-properties  error in properties.error
//	                      → OperationError, with it
//	W41/capitals          App Service's error: capitalised, at the top level
//	                      → OperationError, with details
//	W41/code-in-header    error code in x-ms-error-code alone
//	                      → OperationError, with it
//	W41/details           details with members of their own
//	                      → OperationError, with details
//	W41/details-object    one detail in place of a list
//	                      → OperationError, with it
//	W41/empty             no body
//	                      → OperationError, with the status
//	W41/error-null        error is null
//	                      → OperationError
//	W41/error-string      error is a string
//	                      → OperationError, with it
//	W41/html              a page, cut short
//	                      → OperationError, with its text
//	W41/message-object    message is an object with a value
//	                      → OperationError, with it
//	W41/nested            details within details
//	                      → OperationError, with details
//	W41/no-code           a message and no code
//	                      → OperationError, with it
//	W41/numeric-code      error code is a number
//	                      → OperationError, with it as text
//	W41/status-alone      {"status":"Failed"}
//	                      → OperationError
//	W41/string            the message as a JSON string
//	                      → OperationError, with it
//	W41/text              the message as plain text
//	                      → OperationError, with it
//	W41/unknown           JSON that is no error
//	                      → OperationError, with the body
//	W42                   byte order mark before the JSON
//	                      → result or failure
//	W43                   times that are not RFC 3339
//	                      → result or failure, times read
//	W44                   status URL answers with the resource
//	                      → result or failure
//	W45                   empty body of unknown length
//	                      → no result, at the end
//	W46                   DELETE: the polls end in 204
//	                      → no result, at the end
//	W47                   a newer PUT preempts the operation
//	                      → OperationError, Canceled
//	W48/long              Retry-After of 1200 s
//	                      → obeyed, but for ten minutes at most | Cadence (Max)
//	W48/once              Retry-After in the first answer alone
//	                      → obeyed to the end
//	W48/short             Retry-After of 15 s for an hour and a half
//	                      → obeyed | Cadence (Min)
//	W49/bare              polls are 429 without Retry-After
//	                      → result, after pauses that grow
//	W49/retryable         request is refused with 429, RetryableError
//	                      → StatusError | Repeat
//	W49/text              polls are 429 with plain text
//	                      → result, after pauses that grow
//	W50                   DELETE: Location is 202 without a word, then an empty 200
//	                      → no result, at the end
//	W51                   DELETE: Location tells the end too early
//	                      → too early | Confirm
//	W52                   status URL tells nothing after 20 minutes
//	                      → Patience | CrossCheck
//	W53                   200 at Location, with a status document
//	                      → result is the document | FinalStateVia original-uri
//	W53                   200 at Location, with a status document of Failed
//	                      → OperationError
//	W54/408               a poll is 408
//	                      → result
//	W54/424               a poll is 424
//	                      → result
//	W55                   POST: the status at Location ends with Completed
//	                      → result is the document
//	W56/empty             success is a 200 without a body
//	                      → no result, at the end
//	W56/untyped           no Content-Type
//	                      → result or failure
//	W57                   DELETE is refused with 409, busy
//	                      → StatusError | Repeat
//	W58                   PUT is refused with 409 while its namesake goes
//	                      → StatusError | Repeat
//	W59                   a PUT beside another is answered 201 without the header
//	                      → result, from the resource
//	W60/no-code           an error without a code
//	                      → OperationError with its message
//	W60/star              a URL with an asterisk
//	                      → result, URL as it is
//	A.6/running           any word in progress
//	                      → result; Status.Word tells it
//	A.6/succeeded         Ready, Created, Deleted and the like end an operation
//	                      → never ends | Words
//	A.6/failed            CreateFailed and the like end an operation
//	                      → never ends | Words
//	A.6/canceled          Cancelled or canceled ends an operation
//	                      → OperationError, Canceled
package poller
