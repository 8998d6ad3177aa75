// Package output prints what a command of lro reports: the progress of an operation, notes, the
// result and the error, for people or as lines of JSON.
//
// It decides what goes to standard output and standard error, as text and as JSON, and defines the
// exit codes. It also detects what a terminal can show. It parses no flags, sends no requests,
// reads no files, and never waits for an operation. It is separate from package main because lro
// check uses it too.
//
// New creates a Printer from the Options that Detect returns. A command calls Start, Progress,
// Status, Note and Stop while it works, Result, Listing, Several or Tokens to print its results,
// and Finish at the end. UsageError, FailedError, StopError and ResumableError add to an error what
// only the command can know, such as the command line that resumes the wait.
package output
