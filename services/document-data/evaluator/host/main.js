// main.js <runtime folder>: starts Python from the folder's memory snapshot and runs the evaluator, which exchanges frames
// over standard input and output.

import { runMain, startPython } from './python.js'

/** Properties of the global object that reach beyond computing. Permissions deny them too; this denies them again. */
const REMOVED = [
  ...['Deno', 'process', 'fetch', 'Worker', 'WebSocket', 'WebSocketStream', 'EventSource'],
  ...['navigator', 'location', 'localStorage', 'sessionStorage', 'caches', 'BroadcastChannel'],
  ...['Request', 'WebAssembly', 'eval', 'Function', 'console', 'prompt', 'alert', 'confirm'],
  ...['close', 'reportError', 'queueMicrotask', 'Buffer', 'global', 'setImmediate'],
]

/**
 * How much of the stack in Python's memory C code may use. Python answers deeper recursion with RecursionError. V8 has a
 * stack of its own for the same calls, whose overflow would end the process: it has to be the larger one.
 */
const STACK_BYTES = 1024 * 1024

const [folder] = Deno.args
const { stdin, stdout, exit } = Deno
const snapshot = Deno.readFileSync(`${folder}/snapshot.bin`)
const python = await startPython(folder, { _loadSnapshot: snapshot })
const descriptor = openExchange(python._module.FS)
limitStack(python._module)

// Pyodide loads the source of random bytes at its first use.
runMain(python, 'import os\nos.urandom(1)')
Deno.permissions.revokeSync({ name: 'read' })
for (const name of REMOVED) delete globalThis[name]

runMain(python, `import sheaf_host\nsheaf_host.serve(${descriptor})`)
exit(1)

/**
 * Opens a device whose reads and writes are those of this process's standard input and output. Python uses it by its file
 * descriptor, so that it holds no object of JavaScript.
 */
function openExchange(FS) {
  const device = FS.makedev(64, 0)
  FS.registerDevice(device, {
    read(_stream, memory, offset, length) {
      const count = stdin.readSync(bytesOf(memory, offset, length))
      // The parent has ended, or wants this process to end.
      if (count === null) exit(0)
      return count
    },
    write: (_stream, memory, offset, length) => stdout.writeSync(bytesOf(memory, offset, length)),
  })
  FS.mkdev('/dev/exchange', 0o600, device)
  const { fd } = FS.open('/dev/exchange', 2)
  FS.unlink('/dev/exchange')
  return fd
}

function limitStack(module) {
  const start = module._emscripten_stack_get_base() - STACK_BYTES
  const thread = module._PyThreadState_Get()
  if (module._PyUnstable_ThreadState_SetStackProtection(thread, start, STACK_BYTES) !== 0) exit(1)
}

function bytesOf(memory, offset, length) {
  return new Uint8Array(memory.buffer, memory.byteOffset + offset, length)
}
