package api_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sondehq/sonde/internal/blob"
	"github.com/sondehq/sonde/internal/blob/blobtest"
	"github.com/sondehq/sonde/internal/export"
	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/metastore/metastoretest"
	"github.com/sondehq/sonde/internal/model"
	"github.com/sondehq/sonde/internal/seal"
)

const storage = "/api/public/integrations/blob-storage"

// exportKey is of the organization of project A, strangerKey of another one.
const exportKey, strangerKey = organizationKey, organizationKeyB

const exportBody = `{"projectId":"project-a","type":"S3_COMPATIBLE","bucketName":"bucket","endpoint":"https://s3.example.com","region":"auto",` +
	`"accessKeyId":"AK","secretAccessKey":"zqxhidden","prefix":"p/","exportFrequency":"hourly","enabled":true,"forcePathStyle":true,` +
	`"fileType":"PARQUET","exportMode":"FROM_CUSTOM_DATE","exportStartDate":"2026-05-01T00:00:00Z","exportFieldGroups":["core","tools"]}`

// anyTarget is a place for everything but buckets called forbidden.
type anyTarget struct{}

func (anyTarget) Check(s model.ExportSettings) error {
	if s.Bucket == "forbidden" {
		return fault.Invalidf("endpoint", "is not allowed")
	}
	return nil
}

func (anyTarget) Open(model.ExportSettings, string) (blob.Store, func(), error) {
	return &blobtest.Memory{}, func() {}, nil
}

// newExports knows project A of its organization.
func newExports(t testing.TB) *export.Service {
	t.Helper()
	box, err := seal.NewBox(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	store, seed := metastoretest.NewMemory(), metastoretest.Seed("seed")
	seed.Project.ID, seed.Organization.ID = "project-a", projectNamed("project-a").Organization.ID
	if _, err := store.Plant(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	return export.NewService(store, box, anyTarget{}, nil, time.Minute)
}

// addExportValues adds what B asks the routes of exports with.
func (f *fixture) addExportValues(t *testing.T, v *foreignValues) {
	t.Helper()
	f.call(t, "PUT", storage, exportKey, strings.NewReplacer("bucket\",", "zqxsecret\",", "hourly", "weekly").Replace(exportBody))
	maps.Copy(v.parameters, map[string][]string{
		"GET " + storage + "/{projectId} projectId": {foreignProject}, "DELETE " + storage + "/{projectId} projectId": {foreignProject},
	})
	v.bodies["PUT "+storage] = []string{exportBody}
}

func (f *fixture) callStatus(t testing.TB, method, target, key, text string) (int, map[string]any) {
	t.Helper()
	a, got := f.call(t, method, target, key, text)
	return a.status, got
}

func TestExportSettings(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, got := f.callStatus(t, "PUT", storage, exportKey, exportBody)
	if status != http.StatusOK || got["bucketName"] != "bucket" || got["compressed"] != true || got["exportSource"] != "OBSERVATIONS_V2" || got["exportStartDate"] != "2026-05-01T00:00:00.000Z" {
		t.Errorf("%d %v", status, got)
	}
	for _, target := range []string{storage, storage + "/project-a"} {
		answer := f.send(t, request("GET", target, exportKey, nil))
		if answer.status != http.StatusOK || strings.Contains(answer.body, "zqxhidden") {
			t.Errorf("%s: %d %s", target, answer.status, answer.body)
		}
	}
	if _, got := f.callStatus(t, "GET", storage+"/project-a", exportKey, ""); got["syncStatus"] != "idle" || got["nextSyncAt"] == nil || got["lastSyncAt"] != nil {
		t.Errorf("status %v", got)
	}
	status, got = f.callStatus(t, "PUT", storage, exportKey, strings.Replace(exportBody, `"enabled":true`, `"enabled":false`, 1))
	if status != http.StatusOK || got["enabled"] != false || got["nextSyncAt"] != nil {
		t.Errorf("%d %v", status, got)
	}
	if status, got := f.callStatus(t, "DELETE", storage+"/project-a", exportKey, ""); status != http.StatusOK || got["message"] == nil {
		t.Errorf("%d %v", status, got)
	}
	for _, method := range []string{"GET", "DELETE"} {
		f.want(t, http.StatusNotFound, method, storage+"/project-a", exportKey, "")
	}
}

func TestExportSettingsThatAreRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, change := range [][2]string{
		{exportBody, `[]`},
		{exportBody, `null`},
		{exportBody, `{}`},
		{exportBody, `{"projectId":1}`},
		{`"enabled":true,`, ``},
		{`"forcePathStyle":true`, `"forcePathStyle":null`},
		{`"2026-05-01T00:00:00Z"`, `"yesterday"`},
		{`"S3_COMPATIBLE"`, `"AZURE_BLOB_STORAGE"`},
		{`"bucket"`, `"forbidden"`},
		{`"project-a"`, `"a\u0000b"`},
		{`"secretAccessKey":"zqxhidden",`, ``},
		{`"core"`, `null`},
		{`"p/"`, `"p"`},
	} {
		body := strings.Replace(exportBody, change[0], change[1], 1)
		if status, got := f.callStatus(t, "PUT", storage, exportKey, body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %v", body, status, got)
		}
	}
	if status, _ := f.callStatus(t, "PUT", storage, strangerKey, exportBody); status != http.StatusNotFound {
		t.Errorf("the project of another organization: %d", status)
	}
	if status, _ := f.callStatus(t, "PUT", storage, exportKey, strings.Replace(exportBody, "p/", strings.Repeat("p", 70_000), 1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a large body: %d", status)
	}
	if status, _ := f.callStatus(t, "GET", storage+"/a%00b", exportKey, ""); status != http.StatusBadRequest {
		t.Errorf("an id with NUL: %d", status)
	}
}

func FuzzExportSettings(f *testing.F) {
	f.Add(exportBody)
	f.Add(`{"enabled":true,"forcePathStyle":false,"exportStartDate":"2026-01-01T00:00:00+23:59"}`)
	fixture := newFixture(f)
	f.Fuzz(func(t *testing.T, body string) {
		if got := fixture.send(t, request("PUT", storage, exportKey, strings.NewReader(body))); got.status >= http.StatusInternalServerError {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}
