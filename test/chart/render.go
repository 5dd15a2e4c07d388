// Renders docker/chart as `helm template` does, for the tests: Go's own text/template and sprig, which Helm is made of, with
// what Helm adds to them as far as the chart uses it. Arguments: chart, release, namespace, values files.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

// Helm reads values by way of JSON: every number is a float.
func readValues(path string) map[string]interface{} {
	text, err := os.ReadFile(path)
	check(err)
	var raw interface{}
	check(yaml.Unmarshal(text, &raw))
	inJSON, err := json.Marshal(raw)
	check(err)
	values := map[string]interface{}{}
	check(json.Unmarshal(inJSON, &values))
	return values
}

func merge(into, from map[string]interface{}) {
	for key, value := range from {
		inner, isMap := value.(map[string]interface{})
		known, wasMap := into[key].(map[string]interface{})
		if isMap && wasMap {
			merge(known, inner)
		} else if value == nil {
			delete(into, key)
		} else {
			into[key] = value
		}
	}
}

// What a chart reads of its own files; what is not there is empty, as in Helm.
type chartFiles string

func (chart chartFiles) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(string(chart), name))
	if err != nil {
		return ""
	}
	return string(text)
}

func check(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func main() {
	chart, release, namespace := os.Args[1], os.Args[2], os.Args[3]
	values := readValues(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[4:] {
		merge(values, readValues(path))
	}
	about := readValues(filepath.Join(chart, "Chart.yaml"))
	chartValues := map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	functions["required"] = func(text string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, errors.New(text)
		}
		return value, nil
	}
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	all.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	sort.Strings(files)
	for _, path := range files {
		text, err := os.ReadFile(path)
		check(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   chartValues,
		"Files":   chartFiles(chart),
		"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false},
	}
	rendered := map[string]string{}
	for _, path := range files {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out strings.Builder
		check(all.ExecuteTemplate(&out, name, data))
		// as Helm does
		rendered[name] = strings.ReplaceAll(out.String(), "<no value>", "")
	}
	check(json.NewEncoder(os.Stdout).Encode(rendered))
}
