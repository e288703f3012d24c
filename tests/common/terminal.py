"""Runs a program in a terminal of its own: sends each answer when its question shows, then ends as it is told.

Arguments: END, a list of QUESTION and ANSWER by turns, `--`, the program with its arguments. END is `wait`, `interrupt`
(Ctrl-C) or `close` (the window goes away). The answer `<quoted>` is the last word that stood between backticks. Prints
the exit code (negative for a signal) on a line, then what showed.
"""
import os
import re
import sys
import time

# No `__pycache__` in the repository.
sys.dont_write_bytecode = True
if os.name == "nt":
    from terminal_windows import Terminal
else:
    from terminal_unix import Terminal

end, rest = sys.argv[1], sys.argv[2:]
at = rest.index("--")
answers, command = rest[:at], rest[at + 1:]
terminal = Terminal(command)
deadline = time.monotonic() + 30


def read():
    """Waits for more output; False at its end."""
    more = terminal.read(deadline)
    if more is None:
        sys.exit("nothing more came within 30 seconds:\n" + terminal.shown.decode(errors="replace"))
    return more


seen = 0
for question, answer in zip(answers[::2], answers[1::2]):
    while question.encode() not in terminal.shown[seen:]:
        if not read():
            break
    seen = len(terminal.shown)
    # The program drops what was typed before the question; wait until it reads.
    time.sleep(0.05)
    if answer == "<quoted>\n":
        # The question may not be complete yet.
        while not (quoted := re.findall(rb"Type `([^`]+)`", terminal.shown)):
            if not read():
                break
        answer = (quoted[-1] if quoted else b"").decode() + "\n"
    terminal.type(answer)
if end == "interrupt":
    terminal.type("\x03")
if end == "close":
    terminal.close()
else:
    while read():
        pass
print(terminal.exit_code())
sys.stdout.flush()
sys.stdout.buffer.write(terminal.shown)
