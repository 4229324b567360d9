package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"

	"panel/platform/metrics"
)

const boardPath = "configs/grafana/modules.json"

// placed are the files in which somebody has given numbers a place by hand.
var placed = []string{"configs/grafana/panel.json", "configs/prometheus/panel.rules.yml"}

var (
	ours        = regexp.MustCompile(`\bpanel_[a-z0-9_]+`) // not those of the process
	ofHistogram = regexp.MustCompile(`_(bucket|sum|count)$`)
)

// writeBoard draws each number that no board and no alert shows, so that what a module counts is seen without more
// work. Without such numbers there is no board.
func writeBoard(all []metrics.Family) error {
	left, err := unplaced(all)
	if err != nil {
		return err
	}
	if len(left) == 0 {
		if err := os.Remove(boardPath); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the board of the modules: %w", err)
		}
		return nil
	}
	content, err := board(left)
	if err != nil {
		return err
	}
	return file{boardPath, content}.write()
}

func unplaced(all []metrics.Family) (left []metrics.Family, err error) {
	known := map[string]bool{"panel_build_info": true}
	for _, path := range placed {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("look for numbers on the boards: %w", err)
		}
		for _, name := range ours.FindAllString(string(content), -1) {
			known[name], known[ofHistogram.ReplaceAllString(name, "")] = true, true
		}
	}
	for _, family := range all {
		if ours.MatchString(family.Name) && !known[family.Name] {
			left = append(left, family)
		}
	}
	return left, nil
}

// object is a part of a board, as Grafana reads it.
type object = map[string]any

var source = object{"type": "prometheus", "uid": "${datasource}"}

func board(families []metrics.Family) ([]byte, error) {
	var panels []object
	for i, family := range families {
		panels = append(panels, graph(i, family))
	}
	instances := "label_values(panel_build_info, instance)"
	variables := []object{
		{"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source"},
		{
			"name": "instance", "type": "query", "datasource": source, "definition": instances, "label": "Panel",
			"refresh": 2,
			"query":   object{"query": instances, "refId": "instance"}, "includeAll": true, "allValue": ".*",
			"multi":   true,
			"current": object{"text": "All", "value": "$__all"},
		},
	}
	content, err := json.MarshalIndent(object{
		"title": "Panel: modules", "uid": "panel-modules", "schemaVersion": 39, "version": 1, "timezone": "browser",
		"refresh": "30s", "time": object{"from": "now-6h", "to": "now"}, "tags": []string{"panel"},
		"templating": object{"list": variables}, "panels": panels,
	}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("draw the board of the modules: %w", err)
	}
	return append(content, '\n'), nil
}

func graph(at int, family metrics.Family) object {
	const wide, high, inRow = 8, 8, 3
	expression := family.Name + `{instance=~"$instance"}`
	if family.Rises {
		expression = "rate(" + expression + "[$__rate_interval])"
	}
	legend := "{{instance}}"
	if family.Label != "" {
		legend = "{{" + family.Label + "}}"
	}
	return object{
		"id": at + 1, "title": family.Help, "type": "timeseries", "datasource": source,
		"gridPos": object{"x": at % inRow * wide, "y": at / inRow * high, "w": wide, "h": high},
		"targets": []object{{"refId": "A", "datasource": source, "expr": expression, "legendFormat": legend}},
	}
}
