//go:build race

package scheduler

// many and manyThrottled are the numbers of jobs in the largest tests. They are smaller here,
// because the race detector makes each step about ten times slower.
const many, manyThrottled = 5_000, 500
