// Package printable takes out of texts what acts on a terminal, a page or a reader in place of being seen. Answers of models,
// results of tools, words of servers and names of files are hostile: whoever shows them sends them through here.
package printable
