package app

import (
	"strings"
	"testing"

	"github.com/sondehq/sonde/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.EngineMain()
	m.Run()
}

// A stored text cannot steer the terminal that a table is printed to.
func TestTableOfSQL(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	rows := "{\"name\":\"a\\u001b[2Jb\\tc\",\"n\":1,\"list\":[1,2],\"none\":null}\n{\"name\":\"second\",\"n\":22,\"list\":[],\"none\":null}\n"
	if err := printTable(&out, strings.NewReader(rows)); err != nil {
		t.Fatal(err)
	}
	if want := "name      n   list   none\na [2Jb c  1   [1,2]  \nsecond    22  []     \n"; out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
}
