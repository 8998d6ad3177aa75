//go:build !race

package security

// everyForm says whether our client meets every form in every way, and whether
// others and other waits meet what is no URL.
const everyForm = true
