package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

const savedViewsPath = "/api/public/saved-views"

func TestSavedViews(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	status, made := f.callStatus(t, "POST", savedViewsPath, keyA, `{"tableName":"traces","name":" Errors ","state":"q=level%3AERROR&q=2","isDefault":true}`)
	if status != http.StatusCreated || made["name"] != "Errors" || made["shared"] != true || made["isDefault"] != true || made["ownerUserId"] != nil {
		t.Fatalf("%d %v", status, made)
	}
	one := savedViewsPath + "/" + fmt.Sprint(made["id"])
	if status, got := f.callStatus(t, "GET", one, keyA, ""); status != http.StatusOK || got["state"] != "q=level%3AERROR&q=2" {
		t.Errorf("%d %v", status, got)
	}
	if status, got := f.callStatus(t, "PUT", one, keyA, `{"name":"All","state":"","shared":true,"isDefault":false}`); status != http.StatusOK || got["name"] != "All" || got["isDefault"] != false {
		t.Errorf("%d %v", status, got)
	}
	for target, want := range map[string]int{"": 1, "?tableName=traces": 1, "?tableName=sessions": 0} {
		_, got := f.callStatus(t, "GET", savedViewsPath+target, keyA, "")
		if list, _ := got["data"].([]any); len(list) != want {
			t.Errorf("%s: %v", target, got)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if status, _ := f.callStatus(t, method, one, keyB, ""); status != http.StatusNotFound {
			t.Errorf("%s of another project: %d", method, status)
		}
	}
	if status, _ := f.callStatus(t, "DELETE", one, keyA, ""); status != http.StatusOK {
		t.Errorf("delete: %d", status)
	}
	if status, _ := f.callStatus(t, "DELETE", one, keyA, ""); status != http.StatusNotFound {
		t.Errorf("delete again: %d", status)
	}
}

func TestRefusedSavedViews(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, body := range []string{
		`{}`, `{"tableName":"traces"}`, `{"tableName":"traces","name":" "}`, `{"tableName":"planets","name":"x"}`,
		`{"tableName":"traces","name":"x","owner":"me"}`, `{"tableName":"traces","name":"x","shared":false}`,
		`{"tableName":"traces","name":"` + strings.Repeat("x", 201) + `"}`,
		`{"tableName":"traces","name":"x","state":"` + strings.Repeat("x", 16385) + `"}`,
		`{"tableName":"traces","name":"x","state":{}}`,
	} {
		if status, got := f.callStatus(t, "POST", savedViewsPath, keyA, body); status != http.StatusBadRequest {
			t.Errorf("%.80s: %d %v", body, status, got)
		}
	}
	_, made := f.callStatus(t, "POST", savedViewsPath, keyA, `{"tableName":"traces","name":"x"}`)
	for _, body := range []string{`{"name":"x"}`, `{"name":"x","state":"","shared":true,"isDefault":true,"tableName":"users"}`, `{"name":"x","state":"","shared":false,"isDefault":true}`} {
		if status, got := f.callStatus(t, "PUT", savedViewsPath+"/"+fmt.Sprint(made["id"]), keyA, body); status != http.StatusBadRequest {
			t.Errorf("%.80s: %d %v", body, status, got)
		}
	}
}
