// Expands each text as the kubelet expands the command of a container whose environment has NAME and PORT.
package main

import "expansion"

func main() {
	variables := expansion.MappingFuncFor(map[string]string{"NAME": "web", "PORT": "8080"})
	answer(func(text []byte) ([]byte, error) {
		return []byte(expansion.Expand(string(text), variables)), nil
	})
}
