// Package wire is the transport of model calls: the one authority on what was sent and what came back.
//
// The way of an exchange: a family client writes the Body → Run starts a worker → the Tap takes the attempt's unit, sends the
// Body in the client's Frame, which an adapter may have made, and decodes: EventReader → the family's Decoder → deltas through
// a queue to the caller → Answer. What fails is classified by the tables of data/ (Classify, InBand, Connection) and reported
// as a *providers.Error.
package wire
