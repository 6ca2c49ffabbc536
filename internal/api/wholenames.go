package api

import (
	"net/http"
	"strings"
)

// withWholeNames makes one segment of names of datasets, runs and prompts whose slashes a client did not
// escape: older ones send /datasets/folder/name. What comes escaped is left as it is.
func (s *server) withWholeNames(r *http.Request) {
	path := strings.TrimPrefix(r.URL.EscapedPath(), s.BasePath)
	whole := wholeNames(path)
	if whole != path {
		r.URL.RawPath = s.BasePath + whole // Path is the same: only its escaping differs
	}
}

func wholeNames(path string) string {
	if name, ok := strings.CutPrefix(path, "/api/public/v2/datasets/"); ok {
		return "/api/public/v2/datasets/" + oneSegment(name)
	}
	if name, ok := strings.CutPrefix(path, promptsPath+"/"); ok {
		version := ""
		if at := strings.LastIndex(name, "/versions/"); at >= 0 && !strings.Contains(name[at+len("/versions/"):], "/") {
			name, version = name[:at], name[at:]
		}
		return promptsPath + "/" + oneSegment(name) + version
	}
	name, ok := strings.CutPrefix(path, "/api/public/datasets/")
	if !ok {
		return path
	}
	run := ""
	if folder, list := strings.CutSuffix(name, "/runs"); list {
		name, run = folder, "/runs"
	} else if folder, one, found := strings.Cut(name, "/runs/"); found {
		name, run = folder, "/runs/"+oneSegment(one)
	}
	return "/api/public/datasets/" + oneSegment(name) + run
}

func oneSegment(name string) string { return strings.ReplaceAll(name, "/", "%2F") }
