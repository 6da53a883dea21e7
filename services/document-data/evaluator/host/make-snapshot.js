// make-snapshot.js <runtime folder>: writes a memory snapshot of Python with the package `sheaf` imported to standard output.
// The folder's `python.json` holds the sources by path, and `zones.json` the time zones by name, as base64 of TZif files.

import { SOURCES, runMain, startPython } from './python.js'

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
let rest = python.makeMemorySnapshot()
while (rest.length > 0) rest = rest.subarray(Deno.stdout.writeSync(rest))
