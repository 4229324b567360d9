package plan

// Nodes is how many nodes the results of a memo have.
func (m *Memo) Nodes() int {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.nodes
}
