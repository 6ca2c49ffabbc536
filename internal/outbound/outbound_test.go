package outbound_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/fault"
	"github.com/sondehq/sonde/internal/outbound"
)

func TestRefusePrivate(t *testing.T) {
	t.Parallel()
	for address, public := range map[string]bool{
		"93.184.216.34:443": true, "[2606:2800:220:1::1]:443": true,
		"127.0.0.1:80": false, "[::1]:80": false, "10.1.2.3:443": false, "192.168.0.1:443": false, "172.16.0.1:443": false,
		"169.254.169.254:80": false, "100.64.0.1:443": false, "0.0.0.0:80": false, "[::ffff:127.0.0.1]:80": false,
		"[64:ff9b::7f00:1]:80": false, "[fd00::1]:443": false, "[fe80::1]:443": false, "224.0.0.1:80": false,
		"1.1.1.1:443": true, "172.32.0.1:443": true, "100.128.0.1:443": true, "[2600:9000::1]:443": true, "[64:ff9c::1]:443": true, "[::ffff:8.8.8.8]:443": true,
		"0.1.2.3:80": false, "127.255.255.254:80": false, "255.255.255.255:80": false, "240.0.0.1:80": false, "172.31.255.255:80": false,
		"[fe80::1%eth0]:80": false, "[fec0::1]:80": false, "[ff02::1]:80": false, "[::]:80": false,
		// Where clouds tell machines who they are: link-local ones, Azure, Alibaba, Oracle, Amazon by IPv6.
		"[::ffff:169.254.169.254]:80": false, "169.254.170.2:80": false, "168.63.129.16:80": false, "100.100.100.200:80": false, "192.0.0.192:80": false, "[fd00:ec2::254]:80": false,
		// 127.0.0.1 and 10.0.0.1 in the clothes of IPv6.
		"[::127.0.0.1]:80": false, "[::ffff:0:7f00:1]:80": false, "[64:ff9b:1::7f00:1]:80": false, "[2002:7f00:1::]:80": false, "[2002:a00:1::1]:80": false, "[2001:0:7f00:1::]:80": false,
		// Examples and benchmarks are nobody.
		"192.0.2.1:80": false, "198.18.0.1:80": false, "198.51.100.1:80": false, "203.0.113.1:80": false, "[2001:db8::1]:80": false,
	} {
		if err := outbound.RefusePrivate("tcp", address, nil); (err == nil) != public || err != nil && !errors.Is(err, outbound.ErrPrivate) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	guard := outbound.NewGuard([]string{"http://models.internal:8080", "https://10.0.0.1"})
	for address, ok := range map[string]bool{
		"https://api.example.com/v1": true, "http://models.internal:8080/v1": true, "https://10.0.0.1:443/x": true,
		"http://api.example.com": false, "http://models.internal": false, "https://models.internal:8080": true, "https://127.0.0.1": false,
		"https://[::1]/": false, "https://[::ffff:10.0.0.1]/": false, "https://169.254.169.254/latest/": false, "https://localhost": false, "ftp://example.com": false, "": false, "https://": false,
	} {
		if err := guard.Check("baseURL", address); (err == nil) != ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// A name is only a name: what it resolves to counts, and a redirect leads nowhere.
func TestClient(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://169.254.169.254/")
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(server.Close)
	plain := httptest.NewServer(server.Config.Handler)
	t.Cleanup(plain.Close)

	strict := outbound.NewGuard(nil)
	t.Cleanup(strict.Close)
	_, err := get(t, strict, strings.Replace(server.URL, "127.0.0.1", "localtest.invalid", 1))
	if err == nil {
		t.Error("an unknown name was called")
	}
	if _, err = get(t, strict, server.URL); !fault.Is(err, fault.Invalid) {
		t.Errorf("a private address: %v", err)
	}
	open := outbound.NewGuard([]string{plain.URL})
	t.Cleanup(open.Close)
	if status, err := get(t, open, plain.URL); err != nil || status != http.StatusFound {
		t.Errorf("an allowed address: %d %v", status, err)
	}
}

func get(t *testing.T, guard *outbound.Guard, address string) (int, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := guard.Client().Do(request)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}
