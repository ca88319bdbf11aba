// Reads a JSON array of base64 texts, writes a JSON array of what became of each.
package main

import (
	"encoding/json"
	"os"
)

type outcome struct {
	Out   []byte `json:"out,omitempty"`
	Error string `json:"error,omitempty"`
}

func answer(one func([]byte) ([]byte, error)) {
	var texts [][]byte
	if err := json.NewDecoder(os.Stdin).Decode(&texts); err != nil {
		panic(err)
	}
	outcomes := []outcome{}
	for _, text := range texts {
		out, err := one(text)
		if err != nil {
			outcomes = append(outcomes, outcome{Error: err.Error()})
		} else {
			outcomes = append(outcomes, outcome{Out: out})
		}
	}
	json.NewEncoder(os.Stdout).Encode(outcomes)
}
