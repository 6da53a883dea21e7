// Runs in Deno: main.js <runtime folder> [make]. Starts Python from the memory snapshot in the folder and lets it exchange
// frames over standard input and output; with `make`, writes the snapshot as one frame instead. A frame is a four-byte
// big-endian length followed by that many bytes.

import { loadPyodide } from './pyodide.mjs'
import { zoneFile } from './zones.js'

const [folder, mode] = Deno.args
const isMaking = mode === 'make'
const MAX_FRAME_BYTES = 64 * 1024 * 1024
const MAX_HELD_BYTES = 16 * 1024
const NOTHING = new Uint8Array(0)
const RESULT = new TextEncoder().encode('{"type":"result"')
const SOURCES = '/lib/sheaf-sources'

function readFully(bytes) {
  for (let filled = 0; filled < bytes.length; ) {
    const count = Deno.stdin.readSync(bytes.subarray(filled))
    // The parent has ended, or wants this process to end.
    if (count === null) Deno.exit(0)
    filled += count
  }
  return bytes
}

function readFrame() {
  const length = new DataView(readFully(new Uint8Array(4)).buffer).getUint32(0)
  if (length > MAX_FRAME_BYTES) Deno.exit(1)
  return readFully(new Uint8Array(length))
}

function writeFully(bytes) {
  for (let written = 0; written < bytes.length; )
    written += Deno.stdout.writeSync(bytes.subarray(written))
}

/** Small results that the next frame follows at once: together they wake the parent once. */
let held = NOTHING

function writeFrame(payload) {
  const frame = new Uint8Array(held.length + 4 + payload.length)
  frame.set(held)
  new DataView(frame.buffer).setUint32(held.length, payload.length)
  frame.set(payload, held.length + 4)
  held = NOTHING
  if (frame.length < MAX_HELD_BYTES && isResult(payload)) held = frame
  else writeFully(frame)
}

function isResult(payload) {
  return RESULT.every((byte, index) => payload[index] === byte)
}

const nowhere = { batched: () => {} }

async function makeSnapshot() {
  const python = await loadPyodide({ indexURL: folder, _makeSnapshot: true, fullStdLib: false })
  copySources(python.FS, `${folder}/sheaf`, `${SOURCES}/sheaf`)
  python.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, '${SOURCES}')
import sheaf.start
sys.path.remove('${SOURCES}')
`)
  writeSnapshot(python.makeMemorySnapshot())
}

function copySources(files, from, to) {
  files.mkdirTree(to)
  for (const { name, isDirectory } of Deno.readDirSync(from))
    if (isDirectory) copySources(files, `${from}/${name}`, `${to}/${name}`)
    else files.writeFile(`${to}/${name}`, Deno.readFileSync(`${from}/${name}`))
}

/** A snapshot is larger than a frame may be, so it is written in several, the last one empty. */
function writeSnapshot(snapshot) {
  for (let at = 0; at < snapshot.length; at += MAX_FRAME_BYTES)
    writeFrame(snapshot.subarray(at, at + MAX_FRAME_BYTES))
  writeFrame(new Uint8Array(0))
}

async function run() {
  const _loadSnapshot = Deno.readFileSync(`${folder}/snapshot.bin`)
  const python = await loadPyodide({ indexURL: folder, _loadSnapshot, fullStdLib: false })
  python.setStdout(nowhere)
  python.setStderr(nowhere)
  const seed = crypto.getRandomValues(new Uint8Array(32))
  const start = python.pyimport('sheaf.start')
  start.main(readFrame, (bytes) => writeProxy(bytes), zoneFile, python.toPy(seed))
}

function writeProxy(bytes) {
  const view = bytes.getBuffer('u8')
  try {
    writeFrame(view.data)
  } finally {
    view.release()
    bytes.destroy()
  }
}

await (isMaking ? makeSnapshot() : run())
