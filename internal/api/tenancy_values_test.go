package api_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/sondehq/sonde/internal/model"
)

// addTenancyValues gives the organization of project A keys and members, and adds what B asks with.
func (f *fixture) addTenancyValues(t *testing.T, v *foreignValues) {
	t.Helper()
	const keys, members, some = projectsURL + "/{projectId}/apiKeys", organizationsURL + "/memberships", projectsURL + "/{projectId}/memberships"
	made := f.want(t, 201, "POST", projectsURL+"/"+foreignProject+"/apiKeys", organizationKey, `{"name":"zqxsecret"}`)
	own := f.want(t, 201, "POST", adminURL+"/org-project-a/apiKeys", asAdmin, `{"name":"zqxsecret"}`)
	user := model.User{ID: "foreign-user", Email: "foreign-user@example.com", Name: "zqxsecret"}
	if err := f.tenants.CreateUser(t.Context(), user); err != nil {
		t.Fatal(err)
	}
	f.want(t, 200, "PUT", organizationsURL+"/memberships", organizationKey, `{"userId":"foreign-user","role":"VIEWER"}`)
	f.want(t, 200, "PUT", projectsURL+"/"+foreignProject+"/memberships", organizationKey, `{"userId":"foreign-user","role":"VIEWER"}`)
	f.want(t, 200, "PUT", projectsURL+"/"+foreignProject, organizationKey, `{"name":"zqxsecret","metadata":{"zqxsecret":1}}`)

	maps.Copy(v.parameters, map[string][]string{
		"projectId": {foreignProject}, "organizationId": {"org-project-a"}, "startIndex": {"1", "2"}, "count": {"1", "100"},
		"apiKeyId": {fmt.Sprint(made["id"]), fmt.Sprint(own["id"])}, "GET " + scimURL + " filter": {`userName eq "foreign-user@example.com"`},
	})
	v.always["GET "+auditURL] = "action=key.create" // those of sign-ins come with every question
	v.parameters["actor"] = []string{"key-project-a", "owner@example.com"}
	v.bodies["POST "+keys+"/{apiKeyId}/rotate"] = []string{`{}`, `{"graceSeconds":0}`}
	v.bodies["POST "+adminURL+"/{organizationId}/apiKeys/{apiKeyId}/rotate"] = []string{`{"graceSeconds":0}`}
	for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
		v.parameters[method+" "+scimURL+"/{userId} userId"] = []string{"foreign-user"}
	}
	role, removal := `{"userId":"foreign-user","role":"OWNER"}`, `{"userId":"foreign-user"}`
	maps.Copy(v.bodies, map[string][]string{
		"POST " + projectsURL: {`{"name":"mine","retention":0}`}, "PUT " + projectsURL + "/{projectId}": {`{"name":"mine","retention":3}`},
		"POST " + keys:   {`{"name":"mine"}`, `{"publicKey":"` + fmt.Sprint(made["publicKey"]) + `","secretKey":"sk-lf-mine"}`},
		"PUT " + members: {role}, "DELETE " + members: {removal}, "PUT " + some: {role}, "DELETE " + some: {removal},
		"POST " + scimURL:                {`{"userName":"somebody@example.com"}`},
		"PUT " + scimURL + "/{userId}":   {`{"userName":"foreign-user@example.com","active":false}`},
		"PATCH " + scimURL + "/{userId}": {`{"Operations":[{"op":"replace","path":"active","value":false}]}`},
		"POST " + adminURL:               {`{"name":"mine"}`}, "PUT " + adminURL + "/{organizationId}": {`{"name":"mine"}`},
		"POST " + adminURL + "/{organizationId}/apiKeys": {`{"name":"mine"}`},
	})
}
