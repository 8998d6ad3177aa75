package fakes

import "net/http"

// Quirks of the words for the status of an operation and for provisioningState.
// Each quirk uses one word of its list after another, and then starts again. The
// contract's terminal states end an operation in any case of letters. For the
// other words, poller.Options.Words must map them to states.
const (
	// RunningWords reports progress with another word at every poll, from
	// Accepted to Disabled. A client that takes an unknown word for an ending
	// gives up while the operation is in progress.
	RunningWords Quirk = "A.6/running"

	// SuccessWords ends each successful operation with another word: Ready,
	// Completed, Created, Updated, Provisioned, Available, PartiallySucceeded,
	// succeeded; for a DELETE Deleted and Deprovisioned. A client that follows
	// the contract waits forever after all of them except succeeded. The poller
	// also knows Completed, which many services use. Map the others in
	// poller.Options.Words.
	SuccessWords Quirk = "A.6/succeeded"

	// FailureWords ends each failed operation with another word: CreateFailed,
	// failed, UpdatedFailed, DeleteFailed, StorageProvisioningFailed,
	// TransientFailure. Map all of them except failed in poller.Options.Words.
	FailureWords Quirk = "A.6/failed"

	// CanceledWords ends each canceled operation with Cancelled or canceled.
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

// allWords reports progress with one word after another.
func allWords() behaviour {
	return behaviour{plan: func(_ *question, p *Plan) { p.Words, p.round = runningWords, true }}
}

// endWords gives each operation with that ending the next word.
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
