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

const [folder] = Deno.args
const { stdin, stdout, exit } = Deno
const snapshot = Deno.readFileSync(`${folder}/snapshot.bin`)
const python = await startPython(folder, { _loadSnapshot: snapshot })
const descriptor = openExchange(python._module.FS)

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

function bytesOf(memory, offset, length) {
  return new Uint8Array(memory.buffer, memory.byteOffset + offset, length)
}
