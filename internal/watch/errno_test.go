package watch

import "syscall"

const (
	noSpace = syscall.ENOSPC
	noFiles = syscall.EMFILE
)
