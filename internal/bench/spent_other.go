//go:build !linux

package main

import (
	"errors"
	"time"
)

// spent is not known here.
func spent(int) (time.Duration, error) { return 0, errors.ErrUnsupported }
