package fakes

import "net/http"

// Quirks of the words that tell how an operation is getting on, and what a
// resource shows as its provisioningState. Each goes through the words that there
// are, one after the other and then again. The words that the contract has end an
// operation in whatever case; for the others poller.Options.Words has to say what
// they mean.
const (
	// RunningWords tells an operation that runs with another word at every poll,
	// from Accepted to Disabled. A client that takes a word that it does not know
	// for an end, or for a failure, gives up one that runs.
	RunningWords Quirk = "A.6/running"

	// SuccessWords ends each operation that succeeds with another word: Ready,
	// Completed, Created, Updated, Provisioned, Available, PartiallySucceeded,
	// succeeded, and for a DELETE Deleted and Deprovisioned. A client by the contract waits for
	// ever after all but the lower-case one; Completed has become so usual that
	// poller knows it, and poller.Options.Words covers the others.
	SuccessWords Quirk = "A.6/succeeded"

	// FailureWords ends each operation that fails with another word:
	// CreateFailed, failed, UpdatedFailed, DeleteFailed, StorageProvisioningFailed,
	// TransientFailure. poller.Options.Words covers all but the lower-case one.
	FailureWords Quirk = "A.6/failed"

	// CanceledWords ends each operation that is canceled with Cancelled or canceled.
	CanceledWords Quirk = "A.6/canceled"
)

var (
	runningWords = []string{
		"Accepted", "Creating", "Provisioning", "Updating", "Deleting", "Moving", "Running", "InProgress", "Pending",
		"NotSpecified", "Unknown", "RolloutInProgress", "Dropping", "Suspended", "Disabled",
	}
	successWords = []string{"Ready", "Completed", "Created", "Updated", "Provisioned", "Available", "PartiallySucceeded", "succeeded"}
	deleteWords  = []string{"Deleted", "Deprovisioned"}
	failureWords = []string{"CreateFailed", "failed", "UpdatedFailed", "DeleteFailed", "StorageProvisioningFailed", "TransientFailure"}
	cancelWords  = []string{"Cancelled", "canceled"}
)

var quirksOfWords = map[Quirk]func() behaviour{
	RunningWords:  allWords,
	SuccessWords:  func() behaviour { return endWords(Succeeded, successWords, deleteWords) },
	FailureWords:  func() behaviour { return endWords(Failed, failureWords, failureWords) },
	CanceledWords: func() behaviour { return endWords(Canceled, cancelWords, cancelWords) },
}

// allWords tells one word after the other.
func allWords() behaviour {
	return behaviour{plan: func(_ *question, p *Plan) { p.Words, p.round = runningWords, true }}
}

// endWords gives each operation of that ending the next word.
func endWords(ending Ending, words, ofDelete []string) behaviour {
	var seen, deleted int
	return behaviour{end: func(op *operation) {
		switch {
		case op.ending != ending:
		case op.method == http.MethodDelete:
			op.endWord = ofDelete[deleted%len(ofDelete)]
			deleted++
		default:
			op.endWord = words[seen%len(words)]
			seen++
		}
	}}
}
