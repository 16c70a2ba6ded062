//go:build !linux

package main

// private would keep other processes of the user out of this one, which this system does by itself or not at all.
func private() {}
