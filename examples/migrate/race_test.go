//go:build race

package main

// raced says that the race detector looks on.
const raced = true
