#!/bin/sh
# Stands for a model in this example: reads a prompt, writes work as JSON. Any program that does so can be asked.
cat >/dev/null
cat <<'WORK'
{
  "commands": [
    {"id": "squares", "argv": ["sh", "-c", "mkdir -p out; for n in 1 2 3; do echo $((n * n)); done >out/squares.txt"]}
  ],
  "tests": [
    {"id": "are-right", "type": "content_match", "target": "out/squares.txt", "expected": "1\n4\n9\n"}
  ]
}
WORK
