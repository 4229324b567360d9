package password

// Cost is what one hash takes.
type Cost struct {
	Algorithm  string
	MemoryKiB  int
	Iterations int
	Lanes      int
}

// Today is the cost of a hash that is made now.
func Today() Cost {
	return Cost{Algorithm: "argon2id", MemoryKiB: memoryKiB, Iterations: iterations, Lanes: lanes}
}
