package tracestore

import "context"

type projectKey struct{}

// ForProject names the project on whose behalf reads under the returned context are made. A store bounds
// how many of them run at once; what the server reads for itself names none and waits for nobody.
func ForProject(ctx context.Context, projectID string) context.Context {
	return context.WithValue(ctx, projectKey{}, projectID)
}

// ProjectOf is the project that ForProject named.
func ProjectOf(ctx context.Context) (projectID string, ok bool) {
	projectID, ok = ctx.Value(projectKey{}).(string)
	return projectID, ok
}
