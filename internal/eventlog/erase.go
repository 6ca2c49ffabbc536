package eventlog

import "context"

// KindPadding is an envelope without meaning. A log that cannot take single records off its disk writes some of
// them behind records that are to be erased; whoever consumes one acknowledges it.
const KindPadding Kind = "padding"

// Erasure is how far an erasure of records got, for its caller to keep between calls. One that was lost may be
// begun anew.
type Erasure struct {
	Through []uint64 `json:"through"` // per partition: the newest record that goes
	// Behind is, per partition, the newest record of padding that goes, too; 0: there is none.
	Behind []uint64 `json:"behind"`
	Gone   []bool   `json:"gone"` // per partition: nothing is left
}

// Eraser takes records off the disk before their time.
//
// Promises: when Erase says done, no file of the log holds a byte of the records that were in it when the erasure
// began; dead letters are not records. A record that is not acknowledged is never touched: until it is, the
// erasure is not done. Records that were acknowledged since may go, too.
type Eraser interface {
	// BeginErasure names everything that is in the log now.
	BeginErasure(ctx context.Context) (Erasure, error)
	// Erase goes on with an erasure, without waiting for anybody. Call it again until it is done.
	Erase(ctx context.Context, e Erasure) (next Erasure, done bool, err error)
}
