// Package lazy compiles regular expressions at their first use. What a package variable computes, every start of the program
// pays for, that of each sandboxed command too; one of these costs nothing there, since the compiler lays it out.
package lazy
