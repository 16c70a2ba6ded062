// Package gen turns the model catalogue of charm.land/catwalk into the table that package providers embeds.
//
// The way of the data: catwalk's embedded providers → Table → providers/catalogue.tsv. Only its test links catwalk and
// writes the file (go generate ./providers), so no binary carries the source.
package gen
