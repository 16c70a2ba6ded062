// Package sessiontest is what every session.Store must keep, for embedders that write their own.
package sessiontest
