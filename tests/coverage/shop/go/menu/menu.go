package menu

func Lines() []string {
	return []string{"cup", "tea"}
}
