package live

import "slices"

// What a draft holds of one project at most; what is beyond is counted or left out.
const (
	maxKeys     = 20
	maxRejected = 20
	maxTraces   = 100
)

// draft is what will be told of a project next.
type draft struct {
	keys     []keySeen
	accepted accepted
	rejected []rejected
	unknown  []unknownKey
	rows     rowNew
	traces   traceUpdated
}

func clientOf(r Request) client { return client{r.PublicKey, r.SDKName, r.SDKVersion} }

func (d *draft) keySeen(r Request) {
	if len(d.keys) < maxKeys {
		d.keys = append(d.keys, keySeen{client: clientOf(r), Path: r.Path, Status: r.Status})
	}
}

func (d *draft) request(r Request) {
	if r.Accepted > 0 {
		d.accepted.Requests++
		d.accepted.Spans += r.Accepted
		d.accepted.Bytes += r.Bytes
	}
	if r.Code == "" {
		return
	}
	one := rejected{
		client: clientOf(r), Status: r.Status, Code: r.Code, Reason: r.Reason, Path: r.Path, Count: 1, Spans: r.Rejected, Proved: r.Proved,
	}
	same := func(o rejected) bool {
		return o.Status == one.Status && o.Code == one.Code && o.Reason == one.Reason && o.Path == one.Path && o.PublicKey == one.PublicKey
	}
	if i := slices.IndexFunc(d.rejected, same); i >= 0 {
		d.rejected[i].Count++
		d.rejected[i].Spans += one.Spans
	} else if len(d.rejected) < maxRejected {
		d.rejected = append(d.rejected, one)
	}
}

func (d *draft) unknownKey(u Unknown) {
	same := func(o unknownKey) bool { return o.Prefix == u.Prefix && o.Path == u.Path }
	if i := slices.IndexFunc(d.unknown, same); i >= 0 {
		d.unknown[i].Count++
	} else if len(d.unknown) < maxRejected {
		d.unknown = append(d.unknown, unknownKey{Prefix: u.Prefix, Path: u.Path, Count: 1})
	}
}

func (d *draft) stored(rows, roots int, traceIDs []string) {
	d.rows.Rows += rows
	d.rows.Roots += roots
	for _, id := range traceIDs {
		switch {
		case slices.Contains(d.traces.TraceIDs, id):
		case len(d.traces.TraceIDs) < maxTraces:
			d.traces.TraceIDs = append(d.traces.TraceIDs, id)
		default:
			d.traces.More = true
			return
		}
	}
}

func (d *draft) events(projectID string) (list []Event) {
	head := headOf(projectID)
	for _, key := range d.keys {
		key.head = head
		list = append(list, newEvent(KeySeen, key))
	}
	if d.accepted.head = head; d.accepted.Requests > 0 {
		list = append(list, newEvent(Accepted, d.accepted))
	}
	for _, r := range d.rejected {
		r.head = head
		list = append(list, newEvent(Rejected, r))
	}
	for _, u := range d.unknown {
		u.head = head
		list = append(list, newEvent(UnknownKey, u))
	}
	if d.rows.head = head; d.rows.Rows > 0 {
		list = append(list, newEvent(RowNew, d.rows))
	}
	if d.traces.head = head; len(d.traces.TraceIDs) > 0 {
		list = append(list, newEvent(TraceUpdated, d.traces))
	}
	return list
}
