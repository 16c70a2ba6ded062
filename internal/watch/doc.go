// Package watch says that something under folders changed, once it has settled.
//
// The way of a change: an event of the system (or, where it gives none, a look at sizes and times each second) → the path is
// put aside → quiet for a moment → folders that came or went are followed → Change, with the paths to look at again. What a
// file says is for the caller to compare: an event is only a reason to look.
//
// Folders are watched, never files: editors replace files, and a watch would stay on the old one.
package watch
