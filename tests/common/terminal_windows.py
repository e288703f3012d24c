"""A console of Windows, for terminal.py. The script leaves the console of the tests, makes one of its own, types into its
input and reads its screen."""
import ctypes
import subprocess
import time
from ctypes import wintypes

kernel = ctypes.WinDLL("kernel32", use_last_error=True)
user = ctypes.WinDLL("user32", use_last_error=True)
user.PostMessageW.argtypes = [wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPARAM]
kernel.GetConsoleWindow.restype = wintypes.HWND
kernel.CreateFileW.restype = wintypes.HANDLE
kernel.SetConsoleScreenBufferSize.argtypes = [wintypes.HANDLE, wintypes._COORD]
kernel.ReadConsoleOutputCharacterW.argtypes = [
    wintypes.HANDLE,
    wintypes.LPWSTR,
    wintypes.DWORD,
    wintypes._COORD,
    wintypes.LPDWORD,
]
kernel.WriteConsoleInputW.argtypes = [wintypes.HANDLE, ctypes.c_void_p, wintypes.DWORD, wintypes.LPDWORD]

READ_AND_WRITE = 0xC0000000
SHARED = 3
EXISTING = 3
KEY_EVENT = 1
WM_CLOSE = 0x10
HIDE = 0
# What a program ends with that Ctrl-C or the end of its console ends.
ENDED_BY_CONSOLE = 0xC000013A
# Wide enough that no line of guard is broken, and long enough that none leaves the screen.
COLUMNS, ROWS = 400, 2000


class Key(ctypes.Structure):
    """An INPUT_RECORD with a KEY_EVENT_RECORD."""

    _fields_ = [
        ("kind", wintypes.WORD),
        ("is_down", wintypes.BOOL),
        ("count", wintypes.WORD),
        ("code", wintypes.WORD),
        ("scan", wintypes.WORD),
        ("character", wintypes.WCHAR),
        ("state", wintypes.DWORD),
    ]


def succeed(result):
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result


def opened(name):
    handle = kernel.CreateFileW(name, READ_AND_WRITE, SHARED, None, EXISTING, 0, None)
    if handle == wintypes.HANDLE(-1).value:
        raise ctypes.WinError(ctypes.get_last_error())
    return handle


class Terminal:
    def __init__(self, command):
        self.shown = b""
        self.ending = 0
        kernel.FreeConsole()
        succeed(kernel.AllocConsole())
        self.window = kernel.GetConsoleWindow()
        user.ShowWindow(self.window, HIDE)
        self.screen, self.keys = opened("CONOUT$"), opened("CONIN$")
        succeed(kernel.SetConsoleScreenBufferSize(self.screen, wintypes._COORD(COLUMNS, ROWS)))
        with open("CONIN$", "rb", buffering=0) as keys, open("CONOUT$", "wb", buffering=0) as screen:
            self.child = subprocess.Popen(command, stdin=keys, stdout=screen, stderr=screen)
        # Ctrl-C is for the program alone, which was started before.
        succeed(kernel.SetConsoleCtrlHandler(None, True))

    def look(self):
        """Everything on the screen, without the blanks at the ends of its lines."""
        text, count = ctypes.create_unicode_buffer(COLUMNS), wintypes.DWORD()
        lines = []
        for row in range(ROWS):
            at = wintypes._COORD(0, row)
            succeed(kernel.ReadConsoleOutputCharacterW(self.screen, text, COLUMNS, at, ctypes.byref(count)))
            lines.append(text[: count.value].rstrip(" \0"))
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join([*lines, ""]).encode()

    def read(self, deadline):
        """Looks at the screen; False when the program has ended, None if nothing comes before the deadline."""
        while time.monotonic() < deadline:
            has_ended = self.child.poll() is not None
            now = self.look()
            if now != self.shown or has_ended:
                self.shown = now
                return not has_ended
            time.sleep(0.02)
        return None

    def type(self, text):
        if text == "\x03":
            self.ending = -2
        count = wintypes.DWORD()
        for character in text.replace("\n", "\r"):
            for is_down in [True, False]:
                key = Key(KEY_EVENT, is_down, 1, 0, 0, character, 0)
                if character == "\x03":
                    # The key C with the key Ctrl.
                    key.code, key.state = 0x43, 8
                succeed(kernel.WriteConsoleInputW(self.keys, ctypes.byref(key), 1, ctypes.byref(count)))

    def close(self):
        self.ending = -1
        kernel.FreeConsole()
        succeed(user.PostMessageW(self.window, WM_CLOSE, 0, 0))

    def exit_code(self):
        """The exit code; that of a signal of Unix where the console ended the program."""
        code = self.child.wait(30)
        return self.ending if code == ENDED_BY_CONSOLE else code
