// Package report writes what a run of jobs found in the forms that people and CI systems read.
//
// The way of the data: ci.Report, and the Comparison that [Compare] makes of it and an earlier one → one function for each
// form: [JUnit], [SARIF], [Markdown], [JSON], [CodeQuality], [HTML], and [Annotations] and
// [Outputs] for GitHub; [Files] writes those that were asked for. A form holds the whole answer; none reads a file or a clock.
//
// Answers of models, results of tools and names of files are hostile: no form lets them become markup, a command of the CI
// system or a control sequence.
package report
