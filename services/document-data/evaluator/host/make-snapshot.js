// make-snapshot.js <runtime folder>: writes a memory snapshot of Python with the package `sheaf` imported to standard output.
// The folder's `python.json` holds the sources by path, and `zones.json` the time zones by name, as base64 of TZif files.

import { SOURCES, runMain, startPython } from './python.js'

/** Modules in C that reach memory, JavaScript or processes, or serve tests of Python. */
const REMOVED = /^(_ctypes|_pyodide_core|_posixsubprocess|_remote_debugging|_test\w+|_?xx\w+)$/

const [folder] = Deno.args
const python = await startPython(folder, { _makeSnapshot: true })
const { FS } = python._module

for (const [path, text] of Object.entries(
  JSON.parse(Deno.readTextFileSync(`${folder}/python.json`)),
)) {
  FS.mkdirTree(`${SOURCES}/${path}`.replace(/\/[^/]*$/, ''))
  FS.writeFile(`${SOURCES}/${path}`, text)
}
FS.writeFile('/tmp/zones.json', Deno.readFileSync(`${folder}/zones.json`))

// The error would go to Python's standard error, which is dropped.
const source = `
import traceback
try:
    import sheaf_host
    sheaf_host.prepare()
except BaseException:
    with open('/tmp/error', 'w') as file:
        file.write(traceback.format_exc())
    raise
finally:
    del traceback
`
if (!runMain(python, source)) {
  console.error(FS.readFile('/tmp/error', { encoding: 'utf8' }))
  Deno.exit(1)
}
removeBuiltins(python._module)
let rest = python.makeMemorySnapshot()
while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest))

/**
 * Removes the names of modules from Python's table of built-in modules, a list of addresses of a name and a function, so that
 * not even the import system's internal functions find them.
 */
function removeBuiltins(module) {
  const { HEAPU8, HEAPU32 } = module
  const readName = (address) => module.UTF8ToString(address)
  let count = 0
  for (let entry = HEAPU32[module._PyImport_Inittab / 4]; HEAPU32[entry / 4] !== 0; entry += 8) {
    const address = HEAPU32[entry / 4]
    if (!REMOVED.test(readName(address))) continue
    HEAPU8[address] = 0
    count++
  }
  if (count === 0) throw new Error('the table of built-in modules was not found')
}
