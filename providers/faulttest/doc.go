// Package faulttest is a model provider that misbehaves on demand, and the checks that every test of a client makes
// whatever it tests. It is for tests only.
//
// The way of a test: a script in the language of Parse → Server, on an in-memory listener for testing/synctest or on
// loopback → the real client under test, through Server.Transport → what the server counted and the events it saw →
// Record.Check, which compares both and looks for leaks, late activity and secrets.
package faulttest
