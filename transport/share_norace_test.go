//go:build !race

package transport_test

const busiest = 25
