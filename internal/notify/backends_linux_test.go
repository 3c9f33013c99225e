package notify

var backends = map[string]opener{"inotify": openInotify, "fsnotify": openFsnotify}
