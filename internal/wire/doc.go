// Package wire is what poller and pager share of one HTTP exchange: sending a
// request where it may go, redirects included, reading an answer whole and
// bounded, decoding what a service sends as an error, and following JSON
// pointers.
package wire
