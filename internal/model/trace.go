package model

// traceRowPrefix makes the id of the row that stands for a trace. It is stored: never change it.
const traceRowPrefix = "t-"

// TraceRowID is the id of the row that stands for a trace: older clients send the trace itself beside its
// observations, and that row holds what they said of it.
func TraceRowID(traceID string) string { return traceRowPrefix + traceID }

// StandsForTrace reports whether o is such a row.
func (o *Observation) StandsForTrace() bool { return o.ID == TraceRowID(o.TraceID) }
