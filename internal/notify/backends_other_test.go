//go:build !linux

package notify

var backends = map[string]opener{"fsnotify": openFsnotify}
