package menu

import "testing"

func TestLines(t *testing.T) {
	if len(Lines()) != 2 {
		t.Fatal("not two lines")
	}
}
