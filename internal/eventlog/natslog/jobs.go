package natslog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/jobs"
)

const (
	jobStream = "SONDE_JOBS"
	// jobKept is where jobs lie: the last message of a subject is the job, its sequence the revision.
	jobKept = "sonde.jobs.kept."
	// jobOpen has a mark for every job that may be unfinished, so that runners need not read all.
	// A mark is set before its job is created and taken away after it ends: it may be there without
	// need, it is never missing.
	jobOpen = "sonde.jobs.open."

	// markGrace is how long a mark may be there before its job.
	markGrace = time.Minute
)

// Jobs keeps jobs in a stream beside the log's, with its server and its connection.
type Jobs struct {
	log    *Log
	stream jetstream.Stream
}

var _ jobs.Store = (*Jobs)(nil)

// Jobs opens the store of jobs, creating its stream where it does not exist. It lives as long as
// the log.
func (l *Log) Jobs(ctx context.Context) (*Jobs, error) {
	var stream jetstream.Stream
	err := l.waitForLeaders(ctx, func() (err error) {
		stream, err = l.js.CreateOrUpdateStream(ctx, jobsConfig(l.cfg.Replicas))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("create stream %s: %w", jobStream, err)
	}
	if l.embedded != nil {
		if err := syncDirs(l.cfg.Dir); err != nil {
			return nil, fmt.Errorf("create stream %s: %w", jobStream, err)
		}
	}
	return &Jobs{l, stream}, nil
}

func jobsConfig(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              jobStream,
		Subjects:          []string{jobKept + ">", jobOpen + ">"},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardOld,
		MaxMsgsPerSubject: 1,
		Storage:           jetstream.FileStorage,
		Replicas:          replicas,
		Duplicates:        shortestDuplicates,
		AllowDirect:       false, // a follower could show an older revision
	}
}

// jobToken names a job within a subject. Neither part can be text of a client: project ids are
// hashed, and an id that is not of our making has no token.
func jobToken(projectID, id string) (string, bool) {
	parsed, err := uuid.Parse(id)
	return projectToken(projectID) + "." + id, err == nil && parsed.String() == id
}

func projectToken(projectID string) string {
	sum := sha256.Sum256([]byte(projectID))
	return hex.EncodeToString(sum[:16])
}

var errNoJob = fault.New(fault.NotFound, "there is no such job in this project")

// Create marks the job as open, then keeps it.
func (j *Jobs) Create(ctx context.Context, job jobs.Job) error {
	token, ok := jobToken(job.ProjectID, job.ID)
	if !ok {
		return fmt.Errorf("create job: %q is not an id", job.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if err := j.makeRoom(ctx, projectToken(job.ProjectID)); err != nil {
		return err
	}
	if len(job.Parameters) > jobs.MaxBytes {
		return fmt.Errorf("create job: %w", jobs.ErrTooLarge)
	}
	if _, err := j.log.js.Publish(ctx, jobOpen+token, nil); err != nil {
		return j.away(ctx, err, "mark job")
	}
	job.Revision = 0
	_, err := j.put(ctx, token, job)
	return err
}

// makeRoom refuses when too many jobs of a project are open, and forgets its oldest finished ones.
func (j *Jobs) makeRoom(ctx context.Context, project string) error {
	open, err := j.tokens(ctx, jobOpen, project+".*")
	if err != nil {
		return err
	}
	if len(open) >= jobs.MaxOpen {
		return fault.New(fault.Limited, "this project has %d unfinished jobs", len(open)).
			Hint("wait for one to end, or cancel one")
	}
	kept, err := j.tokens(ctx, jobKept, project+".*")
	if err != nil {
		return err
	}
	for _, token := range kept[:max(0, len(kept)-jobs.MaxKept+1)] {
		if slices.Contains(open, token) {
			continue
		}
		if err := j.stream.Purge(ctx, jetstream.WithPurgeSubject(jobKept+token)); err != nil {
			return j.away(ctx, err, "forget job")
		}
	}
	return nil
}

// tokens lists what there is below a prefix, oldest job first within a project.
func (j *Jobs) tokens(ctx context.Context, prefix, pattern string) ([]string, error) {
	info, err := j.stream.Info(ctx, jetstream.WithSubjectFilter(prefix+pattern))
	if err != nil {
		return nil, j.away(ctx, err, "list jobs")
	}
	tokens := make([]string, 0, len(info.State.Subjects))
	for subject := range maps.Keys(info.State.Subjects) {
		tokens = append(tokens, strings.TrimPrefix(subject, prefix))
	}
	slices.SortFunc(tokens, func(a, b string) int { return strings.Compare(idOf(a), idOf(b)) })
	return tokens, nil
}

func idOf(token string) string {
	_, id, _ := strings.Cut(token, ".")
	return id
}

// Get reads the last message of the job's subject.
func (j *Jobs) Get(ctx context.Context, projectID, id string) (jobs.Job, error) {
	token, ok := jobToken(projectID, id)
	if !ok {
		return jobs.Job{}, errNoJob
	}
	return j.get(ctx, token)
}

func (j *Jobs) get(ctx context.Context, token string) (jobs.Job, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	msg, err := j.stream.GetLastMsgForSubject(ctx, jobKept+token)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return jobs.Job{}, errNoJob
	}
	if err != nil {
		return jobs.Job{}, j.away(ctx, err, "read job")
	}
	var job jobs.Job
	if err := json.Unmarshal(msg.Data, &job); err != nil {
		return jobs.Job{}, fmt.Errorf("read job %s: %w", token, err)
	}
	job.Revision = msg.Sequence
	return job, nil
}

// List reads the newest jobs one by one.
func (j *Jobs) List(ctx context.Context, projectID string, limit int) ([]jobs.Job, error) {
	tokens, err := j.tokens(ctx, jobKept, projectToken(projectID)+".*")
	if err != nil {
		return nil, err
	}
	var list []jobs.Job
	for _, token := range slices.Backward(tokens) {
		if len(list) >= limit {
			break
		}
		job, err := j.get(ctx, token)
		if fault.Is(err, fault.NotFound) {
			continue // forgotten meanwhile
		}
		if err != nil {
			return nil, err
		}
		list = append(list, job)
	}
	return list, nil
}

// Update lets the server compare revisions, then takes away the mark of a job that ended.
func (j *Jobs) Update(ctx context.Context, job jobs.Job) (jobs.Job, error) {
	token, ok := jobToken(job.ProjectID, job.ID)
	if !ok || job.Revision == 0 {
		return jobs.Job{}, errNoJob
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	job, err := j.put(ctx, token, job)
	if err != nil {
		return jobs.Job{}, err
	}
	if job.State.Final() {
		// A mark that stays is taken away by the next Open.
		_ = j.stream.Purge(ctx, jetstream.WithPurgeSubject(jobOpen+token))
	}
	return job, nil
}

// put stores the job if its subject still has the job's revision, 0 for none.
func (j *Jobs) put(ctx context.Context, token string, job jobs.Job) (jobs.Job, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return jobs.Job{}, fmt.Errorf("write job %s: %w", job.ID, err)
	}
	if len(text) > jobs.MaxBytes {
		return jobs.Job{}, fmt.Errorf("write job %s of %d bytes: %w", job.ID, len(text), jobs.ErrTooLarge)
	}
	if j.log.embedded != nil {
		if err := j.log.embedded.disk.check(); err != nil { // a failed write would stop the stream
			return jobs.Job{}, unavailable(err, "write job %s", job.ID)
		}
	}
	ack, err := j.log.js.Publish(ctx, jobKept+token, text, jetstream.WithExpectLastSequencePerSubject(job.Revision), jetstream.WithRetryAttempts(0))
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence:
		return jobs.Job{}, fmt.Errorf("write job %s: %w", job.ID, jobs.ErrChanged)
	case err != nil:
		return jobs.Job{}, j.away(ctx, err, "write job "+job.ID)
	}
	job.Revision = ack.Sequence
	return job, nil
}

// Open follows the marks. Marks without an unfinished job are left over from a crash: they go.
func (j *Jobs) Open(ctx context.Context, visit func(jobs.Job) bool) error {
	tokens, err := j.tokens(ctx, jobOpen, ">")
	if err != nil {
		return err
	}
	var unreadable error
	for _, token := range tokens {
		job, err := j.get(ctx, token)
		switch {
		case fault.Is(err, fault.NotFound) && !old(token):
		case fault.Is(err, fault.NotFound), err == nil && job.State.Final():
			if err := j.stream.Purge(ctx, jetstream.WithPurgeSubject(jobOpen+token)); err != nil {
				return j.away(ctx, err, "clear mark")
			}
		case fault.Is(err, fault.Unavailable):
			return err
		case err != nil:
			unreadable = err // written by another version; the others must not wait for it
		case !visit(job):
			return nil
		}
	}
	return unreadable
}

// old reports whether a job's id was made so long ago that its creation has come to an end.
func old(token string) bool {
	id, err := uuid.Parse(idOf(token))
	if err != nil {
		return true
	}
	seconds, nanos := id.Time().UnixTime()
	return time.Since(time.Unix(seconds, nanos)) > markGrace
}

// away says that the server did not answer, and has it looked after.
func (j *Jobs) away(ctx context.Context, err error, doing string) error {
	if ctx.Err() == nil {
		j.log.heal(ctx)
	}
	return unavailable(err, "%s", doing)
}
