package loader

import "os"

// identify: the times that this system tells can be set by any program, so every file is read.
func (p *stamp) identify(os.FileInfo) {}
