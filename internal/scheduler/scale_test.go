//go:build !race

package scheduler

const many, manyThrottled = 100_000, 10_000
