package cart

import (
	"example.invalid/shop/gift"
	"example.invalid/shop/price"
)

func Total(names []string, wrapped bool) int {
	sum := 0
	for _, name := range names {
		sum += price.Of(name)
	}
	if wrapped {
		sum += gift.Wrap()
	}
	return sum
}
