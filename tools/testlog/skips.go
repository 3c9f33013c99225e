package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// readAllowed reads the tests that may be skipped: "IMPORT-PATH TEST-NAME why" a line, and comments.
func readAllowed(file string) (map[test]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	allow := map[test]bool{}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 3 {
			return nil, fmt.Errorf("%s: %q: want IMPORT-PATH TEST-NAME why", file, line)
		}
		allow[test{words[0], words[1]}] = true
	}
	return allow, nil
}

// judge returns a complaint for each skip that was not allowed and each allowance that was not needed. No skip counts whose reason
// has one of the texts in it that elsewhere consists of, with | between them.
func judge(skips map[test]string, allow map[test]bool, elsewhere string) []string {
	var complaints []string
	for t, why := range skips {
		said := func(text string) bool { return text != "" && strings.Contains(why, text) }
		if !allow[t] && !slices.ContainsFunc(strings.Split(elsewhere, "|"), said) {
			complaints = append(complaints, fmt.Sprintf("SKIPPED, which counts as failed here: %s %s: %s", t.Package, t.Name, why))
		}
	}
	for t := range allow {
		if _, skipped := skips[t]; !skipped {
			complaints = append(complaints, fmt.Sprintf("allowed to skip, but does not: %s %s", t.Package, t.Name))
		}
	}
	slices.Sort(complaints)
	return complaints
}
