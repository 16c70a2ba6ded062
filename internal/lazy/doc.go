// Package lazy makes what package variables hold at its first use. What such a variable computes, every start of the program
// pays for, that of each sandboxed command too: its memory, and the pages of the code that is run for it. One of these costs
// nothing there, since the compiler lays it out; a package without any other has no initialiser at all.
package lazy
