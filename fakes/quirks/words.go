package quirks

import "github.com/lro-go/lro/fakes/internal/engine"

// Quirks that change the words for an operation's status and for provisioningState. Each quirk uses
// the words in its list in turn. The poller knows the contract's terminal states. Use
// poller.Options.Words to map other words that end an operation.
const (
	// RunningWords reports progress with a different word at every poll, such as
	// Creating, Moving or Disabled. A client that treats an unknown word as a
	// terminal state gives up while the operation is in progress.
	RunningWords Quirk = "A.6/running"

	// SuccessWords ends each successful operation with a different word. For a DELETE, the words
	// are Deleted and Deprovisioned. Otherwise, they are Ready, Completed, Created, Updated,
	// Provisioned, Available, PartiallySucceeded and succeeded. A client that follows the contract
	// knows only succeeded, and polls forever after any other word. The poller also knows
	// Completed, which many services use. Map the others in poller.Options.Words.
	SuccessWords Quirk = "A.6/succeeded"

	// FailureWords ends each failed operation with a different word: CreateFailed, failed,
	// UpdatedFailed, DeleteFailed, StorageProvisioningFailed or TransientFailure. Of these words,
	// the poller knows only failed. Map the others in poller.Options.Words.
	FailureWords Quirk = "A.6/failed"

	// CanceledWords ends each canceled operation with the word Cancelled or canceled. The poller
	// knows both.
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

var wordQuirks = []entry{
	{RunningWords, "the status is a word such as Moving or Disabled while the operation is in progress", always(engine.Hooks{Plan: useRunningWords})},
	{SuccessWords, "Ready, Created, Deleted and other words mean success", func() engine.Hooks { return endWords(engine.Succeeded, successWords, deleteWords) }},
	{FailureWords, "CreateFailed and other words mean failure", func() engine.Hooks { return endWords(engine.Failed, failureWords, failureWords) }},
	{CanceledWords, "an operation ends with the word Cancelled or canceled", func() engine.Hooks { return endWords(engine.Canceled, cancelWords, cancelWords) }},
}

// useRunningWords makes the status of an operation in progress cycle through runningWords.
func useRunningWords(_ *engine.Request, p *engine.Plan) {
	p.Words = runningWords
	p.Cycle = true
}

// endWords returns hooks that set the final status of operations with the given ending. They use
// the words of the first list in turn or, for a DELETE, the words of the second list.
func endWords(ending engine.Ending, words, ofDelete []string) engine.Hooks {
	nextWord := inTurn(words)
	nextOfDelete := inTurn(ofDelete)

	return engine.Hooks{End: func(op *engine.Operation) {
		if op.Ending != ending {
			return
		}
		if deletes(op) {
			op.EndWord = nextOfDelete()
			return
		}
		op.EndWord = nextWord()
	}}
}

// inTurn returns a function that returns the next of the words on each call, and starts over after
// the last.
func inTurn(words []string) func() string {
	calls := 0
	return func() string {
		word := words[calls%len(words)]
		calls++
		return word
	}
}
