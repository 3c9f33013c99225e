package notify

// openSource takes the library where the kernel's own interface is not to be had.
func openSource(report sink) (source, error) {
	s, err := openInotify(report)
	if err == nil {
		return s, nil
	}
	if s, other := openFsnotify(report); other == nil {
		return s, nil
	}
	return nil, err
}
