/** Python that tries to get out, and what must come of it: the name of an error, a value as its `repr`, or `exit`. */
export type Attempt = readonly [what: string, code: string, outcome: string]

const builtin = (name: string) => `
import _imp, importlib.machinery as machinery, sys
module = _imp.create_builtin(machinery.ModuleSpec(${JSON.stringify(name)}, machinery.BuiltinImporter))
result = [name for name in dir(module) if not name.startswith('__')] if module else None
sys.modules.pop(module and module.__name__, None)`
const walk = (condition: string) => `
import gc
seen = []
todo = [object, *gc.get_objects()]
def visit(kind):
    for one in type.__subclasses__(kind):
        if one not in seen:
            seen.append(one)
            visit(one)
visit(object)
result = [one for one in seen if ${condition}]`

/** Modules of the host and of foreign functions. */
export const modules: readonly Attempt[] = [
  ['js', 'import js', 'ModuleNotFoundError'],
  ['a name of js', 'from js import Deno', 'ModuleNotFoundError'],
  ['pyodide', 'import pyodide', 'ModuleNotFoundError'],
  ['pyodide.code', 'from pyodide.code import run_js', 'ModuleNotFoundError'],
  ['pyodide.http', 'import pyodide.http', 'ModuleNotFoundError'],
  ['pyodide.ffi', 'from pyodide.ffi import to_js', 'ModuleNotFoundError'],
  ['pyodide_js', 'import pyodide_js', 'ModuleNotFoundError'],
  ['_pyodide', 'import _pyodide._base', 'ModuleNotFoundError'],
  ['_pyodide_core', 'import _pyodide_core', 'ModuleNotFoundError'],
  ['micropip', 'import micropip', 'ModuleNotFoundError'],
  ['ctypes', 'import ctypes', 'ModuleNotFoundError'],
  ['_ctypes', 'import _ctypes', 'ModuleNotFoundError'],
  ['ctypes by name', '__import__("ctypes")', 'ModuleNotFoundError'],
  [
    'ctypes by importlib',
    'import importlib; importlib.import_module("ctypes")',
    'ModuleNotFoundError',
  ],
  ['ctypes of the C part', builtin('_ctypes'), 'None'],
  ['the core of Pyodide', builtin('_pyodide_core'), '[]'],
  ['internals for tests', builtin('_testinternalcapi'), 'None'],
  ['the C API for tests', builtin('_testcapi'), 'None'],
  ['processes of the C part', builtin('_posixsubprocess'), 'None'],
  ['remote debugging', builtin('_remote_debugging'), 'None'],
  [
    'ctypes without the finder',
    'import sys\nsys.meta_path[:] = [one for one in sys.meta_path if "Blocker" not in repr(one)]\nimport ctypes',
    'ModuleNotFoundError',
  ],
  [
    'js without the finder',
    'import sys\nsys.meta_path[:] = [one for one in sys.meta_path if "Blocker" not in repr(one)]\nimport js',
    'ModuleNotFoundError',
  ],
  [
    'modules in sys.modules',
    'import sys; result = [name for name in sys.modules if "js" == name or "pyodide" in name or "ctypes" in name]',
    '[]',
  ],
  [
    'modules among all objects',
    'import gc, types; result = [one for one in gc.get_objects() if isinstance(one, types.ModuleType) and "pyodide" in one.__name__ and [name for name in vars(one) if not name.startswith("__")]]',
    '[]',
  ],
]

/** Ways through the objects of Python. */
export const objects: readonly Attempt[] = [
  [
    'objects of JavaScript',
    'import gc; result = [one for one in gc.get_objects() if type(one).__name__.startswith("JsProxy")]',
    '[]',
  ],
  [
    'classes that keep a module of the host',
    walk(
      `any(hasattr(getattr(value, "__globals__", None), "keys") and "jsfinder" in value.__globals__ for value in vars(one).values())`,
    ),
    '[]',
  ],
  [
    'classes that keep os of a host',
    `${walk('one.__name__ == "JsFinder"')}\nresult = [sorted(one.find_spec.__globals__) for one in result]`,
    '[[]]',
  ],
  [
    'a proxy made by its class',
    `${walk('one.__name__ == "JsProxy"')}\nresult = [one.new("x") for one in result]`,
    'NotImplementedError',
  ],
  [
    'frames below',
    'import sys\nframe = sys._getframe()\nnames = set()\nwhile frame:\n    names.update(frame.f_globals)\n    frame = frame.f_back\nresult = sorted(name for name in names if "js" in name.lower() and name != "json" or "pyodide" in name)',
    '[]',
  ],
  [
    'globals of a traceback',
    'try:\n    1/0\nexcept Exception as error:\n    trace = error.__traceback__\nresult = [name for name in trace.tb_frame.f_builtins if "js" in name]',
    '[]',
  ],
  [
    'builtins that Pyodide adds',
    'result = [name for name in vars(__builtins__ if not isinstance(__builtins__, dict) else type("x", (), __builtins__)) if "yodide" in name]',
    '[]',
  ],
  [
    'the event loop',
    'import asyncio\nresult = type(asyncio.get_event_loop_policy()).__module__.startswith("pyodide")',
    'False',
  ],
  [
    'a coroutine',
    'import asyncio\nasync def wait(): return 1\nresult = asyncio.run(wait())',
    'ModuleNotFoundError',
  ],
  [
    'finders',
    'import sys; result = [one for one in sys.meta_path if "pyodide" in repr(one)]',
    '[]',
  ],
]

/** Files, environment and devices. */
export const files: readonly Attempt[] = [
  ['a file of the system', 'open("/etc/passwd")', 'FileNotFoundError'],
  ['the folder of processes', 'open("/proc/self/environ")', 'FileNotFoundError'],
  ['the memory of the process', 'open("/proc/self/mem", "rb")', 'FileNotFoundError'],
  [
    'a file by its descriptor',
    'import os; os.open("/etc/hostname", os.O_RDONLY)',
    'FileNotFoundError',
  ],
  [
    'the root folder',
    'import os; result = sorted(os.listdir("/"))',
    "['dev', 'home', 'lib', 'proc', 'tmp']",
  ],
  [
    'the home folder',
    'import os; result = [os.listdir("/home/" + name) for name in os.listdir("/home")]',
    '[[]]',
  ],
  [
    'documents',
    'import glob; result = glob.glob("/**/*.sheaf", recursive=True) + glob.glob("/**/documents", recursive=True)',
    '[]',
  ],
  [
    'the runtime folder',
    'import glob; result = glob.glob("/**/snapshot.bin", recursive=True)',
    '[]',
  ],
  ['the environment', 'import os; result = dict(os.environ)', '{}'],
  ['the environment in C', 'import posix; result = posix.environ', '{}'],
  ['a mount', 'import os; os.mount("/", "/mnt")', 'AttributeError'],
  [
    'a link to a file of the system',
    'import os; os.symlink("/etc/passwd", "/tmp/link"); open("/tmp/link")',
    'FileNotFoundError',
  ],
  [
    'a device of the host',
    'import os; os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)); open("/tmp/disk", "rb").read(1)',
    'AttributeError',
  ],
  ['the device of the exchange', 'open("/dev/exchange", "r+b")', 'FileNotFoundError'],
  ['standard input', 'import sys; result = sys.stdin.read()', "''"],
  ['input()', 'input()', 'EOFError'],
]

/** Network, processes, threads and signals. */
export const system: readonly Attempt[] = [
  ['a connection', 'import socket; socket.create_connection(("127.0.0.1", 80), 1)', 'OSError'],
  [
    'a connection elsewhere',
    'import socket; socket.create_connection(("192.0.2.1", 80), 1)',
    'OSError',
  ],
  [
    'a server',
    'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); one.listen()',
    'exit',
  ],
  [
    'a datagram',
    'import socket; one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); result = one.sendto(b"x", ("127.0.0.1", 9))',
    'OSError',
  ],
  [
    'a local socket',
    'import socket; one = socket.socket(socket.AF_UNIX); one.connect("/tmp/x")',
    'AttributeError',
  ],
  ['HTTP', 'import urllib.request; urllib.request.urlopen("http://127.0.0.1/")', 'URLError'],
  ['HTTPS', 'import urllib.request; urllib.request.urlopen("https://example.com/")', 'URLError'],
  [
    'HTTP by http.client',
    'import http.client; http.client.HTTPConnection("127.0.0.1").request("GET", "/")',
    'OSError',
  ],
  [
    'a browser',
    'import webbrowser; result = webbrowser.open("http://127.0.0.1/")',
    'ModuleNotFoundError',
  ],
  ['a process', 'import subprocess; subprocess.run(["ls"])', 'OSError'],
  ['a shell', 'import os; os.system("ls")', 'AttributeError'],
  ['a shell of the C part', 'import posix; posix.system("ls")', 'AttributeError'],
  ['a pipe to a process', 'import os; os.popen("ls").read()', 'OSError'],
  ['fork', 'import os; os.fork()', 'OSError'],
  ['exec', 'import os; os.execv("/bin/sh", ["sh"])', 'OSError'],
  ['spawn', 'import os; os.posix_spawn("/bin/sh", ["sh"], {})', 'AttributeError'],
  [
    'multiprocessing',
    'import multiprocessing; multiprocessing.Process(target=print).start()',
    'ModuleNotFoundError',
  ],
  [
    'a pool of processes',
    'import concurrent.futures as futures; futures.ProcessPoolExecutor().submit(print)',
    'NotImplementedError',
  ],
  ['a thread', 'import threading; threading.Thread(target=print).start()', 'RuntimeError'],
  ['a thread of the C part', 'import _thread; _thread.start_new_thread(print, ())', 'RuntimeError'],
  [
    'a pool of threads',
    'import concurrent.futures as futures; futures.ThreadPoolExecutor().submit(print).result()',
    'RuntimeError',
  ],
  ['other processes', 'import os; os.kill(1, 0)', 'PermissionError'],
  ['the parent process', 'import os; os.kill(os.getppid(), 9)', 'PermissionError'],
  ['its own end by a signal', 'import os; os.kill(os.getpid(), 9)', 'exit'],
  ['its own end', 'import os; os._exit(3)', 'exit'],
  ['an abort', 'import os; os.abort()', 'exit'],
  ['a fault of memory', 'import faulthandler; faulthandler._sigsegv()', 'exit'],
  ['priority', 'import os; os.nice(-10)', 'AttributeError'],
  [
    'limits',
    'import resource; resource.setrlimit(resource.RLIMIT_DATA, (-1, -1))',
    'ModuleNotFoundError',
  ],
]
