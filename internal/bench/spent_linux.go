package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// spent is the processor time that another process has taken, to the nanosecond.
func spent(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("the threads of process %d: %w", pid, os.ErrNotExist)
	}
	var sum time.Duration
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a thread that ended
		}
		var ran time.Duration
		if _, err := fmt.Sscan(string(text), &ran); err != nil {
			return 0, err
		}
		sum += ran
	}
	return sum, nil
}
