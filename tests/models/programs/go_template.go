// Renders each text as a template of text/template with an empty map as its data.
package main

import (
	"bytes"
	"text/template"
)

func main() {
	answer(func(text []byte) ([]byte, error) {
		parsed, err := template.New("reply").Parse(string(text))
		if err != nil {
			return nil, err
		}
		var made bytes.Buffer
		err = parsed.Execute(&made, map[string]any{})
		return made.Bytes(), err
	})
}
