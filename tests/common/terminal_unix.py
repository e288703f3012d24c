"""A pseudo-terminal of Unix, for terminal.py."""
import os
import pty
import select
import signal
import time


class Terminal:
    def __init__(self, command):
        self.shown = b""
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            # If the tests run in the background, these signals are ignored, and the program would inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            os.execvp(command[0], command)

    def read(self, deadline):
        """Adds a piece of output; False at its end, None if nothing comes before the deadline."""
        ready, _, _ = select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return None
        try:
            piece = os.read(self.terminal, 65536)
        except OSError:
            piece = b""
        self.shown += piece
        return bool(piece)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def close(self):
        os.close(self.terminal)

    def exit_code(self):
        """The exit code; negative for a signal."""
        _, status = os.waitpid(self.child, 0)
        return os.waitstatus_to_exitcode(status)
