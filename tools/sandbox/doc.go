// Package sandbox starts every child process of the program and is the one place that does.
//
// The way of a child: [Command] → [Launcher.Run] → a process group of its own, with an environment that is an allow list, a
// temporary folder of its own and pipes that are ours → [Output], head and tail of each stream, when the command has ended.
// Whatever happens (its end, the time limit, cancellation, [Children.Close]) the group is ended before Run returns: TERM
// first, KILL after a moment. A grandchild that holds a pipe open delays nobody. A server is started by [Launcher.Start] and
// is a [Process] until it is closed.
//
// On Linux the process is a copy of this program (package launch): it confines the command by namespaces, Landlock and a
// filter of system calls, as far as the kernel has them, and ends what the command leaves, in whatever session. One such copy
// waits for the next command, which then need not wait for the start of a program. Elsewhere children are not confined, and a
// process that leaves its group by setsid is not found. [Launcher.Facts] says what holds; a sandbox that is demanded
// ([Require]) and does not hold is refused.
package sandbox
