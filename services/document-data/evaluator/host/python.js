// Starts Pyodide from the runtime folder, without a snapshot or from one.

import { loadPyodide } from './pyodide.mjs'

/** Folder of the in-memory file system for files that Python reads at the making of a snapshot. */
export const SOURCES = '/lib/python3.14/site-packages'

/**
 * Starts Python. Its standard output and error are dropped, because this process's standard output carries frames, and its
 * standard input is empty.
 */
export function startPython(folder, options) {
  return loadPyodide({
    indexURL: `${folder}/`,
    env: { HOME: '/', LANG: 'C.UTF-8', TZ: 'UTC' },
    args: [],
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
    checkAPIVersion: false,
    ...options,
  })
}

/** Runs Python source without a Python frame of Pyodide beneath it, through which its modules could be reached. */
export function runMain(python, source) {
  const module = python._module
  const bytes = new TextEncoder().encode(`${source}\0`)
  const address = module._malloc(bytes.length)
  module.HEAPU8.set(bytes, address)
  const status = module._PyRun_SimpleString(address)
  module._free(address)
  return status === 0
}
