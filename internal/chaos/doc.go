// Package chaos follows a thousand operations over a network with every fault that we could
// think of, and in processes that are killed.
//
// It contains only tests, in a package of their own because their binary is also the process that is
// killed. README.md describes them and how to run more of them.
package chaos
