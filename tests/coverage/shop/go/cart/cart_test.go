package cart

import "testing"

func TestTotal(t *testing.T) {
	if Total([]string{"cup", "tea"}, false) != 13 {
		t.Fatal("not 13")
	}
}
