package testkit

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Page is what a browser shows.
type Page struct {
	Status int
	URL    *url.URL // where redirects have led to
	Header http.Header
	Body   []byte
}

// Browser returns a client that keeps cookies and follows redirects.
func Browser(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
}

// Visit opens an address.
func Visit(t testing.TB, browser *http.Client, address string) Page {
	t.Helper()
	return visit(t, browser, http.MethodGet, address, nil)
}

func visit(t testing.TB, browser *http.Client, method, address string, form url.Values) Page {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4<<20))
	if err != nil {
		t.Fatal(err)
	}
	return Page{Status: response.StatusCode, URL: response.Request.URL, Header: response.Header, Body: body}
}

// link is the address that an attribute of the page's HTML leads to.
func (p Page) link(t testing.TB, attribute []byte) string {
	t.Helper()
	to, err := p.URL.Parse(html.UnescapeString(string(attribute)))
	if err != nil {
		t.Fatal(err)
	}
	return to.String()
}
