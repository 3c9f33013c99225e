// Package examples checks the examples beside it: that they are what Compose and Kubernetes take, as far as their shape goes, and that
// each lock in them lies on a volume that is declared. It is a module of its own, so that nothing else needs a library for YAML.
package examples
