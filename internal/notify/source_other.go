//go:build !linux

package notify

func openSource(report sink) (source, error) { return openFsnotify(report) }
