// Package output prints what a command of lro reports: the progress of an operation, notes, the
// result and the error, for people or as lines of JSON.
//
// It knows the forms of both outputs, what a terminal can show, and the exit codes, which follow from the
// errors that a command returns. It knows nothing about the flags, the requests or the files, and it never
// waits for an operation. It is a package of its own because lro check shares it with the commands of
// package main.
//
// Its entry point is Printer, which New creates from the Options that Detect returns. A command calls
// Start, Progress, Status, Note and Stop while it works, Result or Listing when it succeeds, and
// Finish at the end. UsageError, FailedError, StopError and ResumableError carry what only the
// command knows about an error.
package output
