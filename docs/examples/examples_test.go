package examples

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// decode reads the documents of a file strictly: what is not in T is an error.
func decode[T any](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	var all []T
	for {
		var doc T
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, doc)
	}
}

// lockOf is the path of the lock in a command line, and whether it refuses to be where nobody else sees it.
func lockOf(command []string) (lock string, strict bool) {
	end := slices.Index(command, "--")
	if len(command) < 4 || command[0] != "dirlock" || command[1] != "run" || end < 3 || end == len(command)-1 {
		return "", false
	}
	return command[end-1], slices.Contains(command[:end], "--require-shared")
}

type service struct {
	Image    string                 `yaml:"image"`
	Command  []string               `yaml:"command"`
	Init     bool                   `yaml:"init"`
	Grace    string                 `yaml:"stop_grace_period"`
	ReadOnly bool                   `yaml:"read_only"`
	Tmpfs    []string               `yaml:"tmpfs"`
	Volumes  []string               `yaml:"volumes"`
	Deploy   struct{ Replicas int } `yaml:"deploy"`
}

func TestCompose(t *testing.T) {
	docs := decode[struct {
		Name     string                    `yaml:"name"`
		Services map[string]service        `yaml:"services"`
		Volumes  map[string]map[string]any `yaml:"volumes"`
	}](t, "compose.yaml")
	if len(docs) != 1 || len(docs[0].Services) < 2 {
		t.Fatalf("%+v", docs)
	}
	locks := map[string]bool{} // volume and path in it
	for name, s := range docs[0].Services {
		lock, strict := lockOf(s.Command)
		if lock == "" || !strict || s.Image == "" {
			t.Errorf("%s: %+v", name, s)
		}
		on := ""
		for _, v := range s.Volumes {
			volume, at, ok := strings.Cut(v, ":")
			if _, declared := docs[0].Volumes[volume]; !ok || !declared {
				t.Errorf("%s: the volume %q is not declared", name, v)
			}
			if at == path.Dir(lock) {
				on = volume
			}
		}
		if on == "" || slices.Contains(s.Tmpfs, path.Dir(lock)) {
			t.Errorf("%s: %s is on no volume", name, lock)
		}
		locks[on+"/"+path.Base(lock)] = true
	}
	if len(locks) != 1 {
		t.Errorf("the services have no lock in common: %v", locks)
	}
}

type object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   struct {
		Name   string            `yaml:"name"`
		Labels map[string]string `yaml:"labels"`
	} `yaml:"metadata"`
	Spec struct {
		AccessModes []string                     `yaml:"accessModes"`
		Resources   map[string]map[string]string `yaml:"resources"`
		Replicas    int                          `yaml:"replicas"`
		Selector    struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"selector"`
		Template struct {
			Metadata struct {
				Labels map[string]string `yaml:"labels"`
			} `yaml:"metadata"`
			Spec pod `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

type pod struct {
	Grace      int `yaml:"terminationGracePeriodSeconds"`
	Containers []struct {
		Name    string   `yaml:"name"`
		Image   string   `yaml:"image"`
		Command []string `yaml:"command"`
		Env     []struct {
			Name      string         `yaml:"name"`
			ValueFrom map[string]any `yaml:"valueFrom"`
		} `yaml:"env"`
		Mounts []struct {
			Name string `yaml:"name"`
			Path string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	} `yaml:"containers"`
	Volumes []struct {
		Name  string `yaml:"name"`
		Claim *struct {
			Name string `yaml:"claimName"`
		} `yaml:"persistentVolumeClaim"`
		HostPath *struct{ Path, Type string } `yaml:"hostPath"`
	} `yaml:"volumes"`
}

func TestKubernetes(t *testing.T) {
	claims := map[string]bool{} // by name: may be used on many nodes
	kinds := map[string]int{}
	var pods []object
	for _, o := range decode[object](t, "kubernetes.yaml") {
		kinds[o.APIVersion+" "+o.Kind]++
		if o.Metadata.Name == "" {
			t.Errorf("%s without a name", o.Kind)
		}
		if o.Kind == "PersistentVolumeClaim" {
			claims[o.Metadata.Name] = slices.Contains(o.Spec.AccessModes, "ReadWriteMany")
			if o.Spec.Resources["requests"]["storage"] == "" {
				t.Error("a claim for no storage")
			}
			continue
		}
		pods = append(pods, o)
	}
	if kinds["v1 PersistentVolumeClaim"] != 1 || kinds["apps/v1 Deployment"] != 1 || kinds["apps/v1 DaemonSet"] != 1 || len(kinds) != 3 {
		t.Errorf("%v", kinds)
	}
	for _, o := range pods {
		labels := o.Spec.Template.Metadata.Labels
		for k, v := range o.Spec.Selector.MatchLabels {
			if labels[k] != v {
				t.Errorf("%s selects %s=%s, and its pods have %v", o.Metadata.Name, k, v, labels)
			}
		}
		spec := o.Spec.Template.Spec
		if len(spec.Containers) == 0 || len(o.Spec.Selector.MatchLabels) == 0 {
			t.Errorf("%s: %+v", o.Metadata.Name, o.Spec)
		}
		for _, c := range spec.Containers {
			lock, strict := lockOf(c.Command)
			if lock == "" || !strict || c.Image == "" || c.Name == "" {
				t.Errorf("%s: %+v", o.Metadata.Name, c)
			}
			ok := false
			for _, m := range c.Mounts {
				for _, v := range spec.Volumes {
					onClaim := v.Claim != nil && claims[v.Claim.Name] && o.Kind == "Deployment"
					onNode := v.HostPath != nil && path.IsAbs(v.HostPath.Path) && o.Kind == "DaemonSet"
					ok = ok || m.Path == path.Dir(lock) && m.Name == v.Name && (onClaim || onNode)
				}
			}
			if !ok {
				t.Errorf("%s: %s is on no volume that its pods share", o.Metadata.Name, lock)
			}
		}
	}
}
