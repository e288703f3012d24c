#!/bin/sh
# Cline runs this before each tool. Only `"cancel": true` stops the tool; no exit code does.
answer=$(guard hook cline)
if [ -z "$answer" ]; then
  answer='{"cancel": true, "errorMessage": "guard gave no answer, so the call is denied"}'
fi
printf '%s\n' "$answer"
