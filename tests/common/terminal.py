"""Runs a program in a terminal of its own: sends each answer when its question shows, then ends as it is told.

Arguments: END, a list of QUESTION and ANSWER by turns, `--`, the program with its arguments. END is `wait`, `interrupt`
(Ctrl-C) or `close` (the window goes away). Prints the exit code (negative for a signal) on a line, then what showed.
"""
import os
import pty
import select
import signal
import sys
import time

end, rest = sys.argv[1], sys.argv[2:]
at = rest.index("--")
answers, command = rest[:at], rest[at + 1:]
child, terminal = pty.fork()
if child == 0:
    # If the tests run in the background, these signals are ignored, and the program would inherit that.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    os.execvp(command[0], command)
shown = b""
deadline = time.monotonic() + 30


def read():
    """One more piece of output; False at its end."""
    global shown
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        sys.exit("nothing more came within 30 seconds:\n" + shown.decode(errors="replace"))
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        piece = b""
    shown += piece
    return bool(piece)


seen = 0
for question, answer in zip(answers[::2], answers[1::2]):
    while question.encode() not in shown[seen:]:
        if not read():
            break
    seen = len(shown)
    # The program drops what was typed before the question; wait until it reads.
    time.sleep(0.05)
    os.write(terminal, answer.encode())
if end == "interrupt":
    os.write(terminal, b"\x03")
if end == "close":
    os.close(terminal)
else:
    while read():
        pass
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
sys.stdout.flush()
sys.stdout.buffer.write(shown)
