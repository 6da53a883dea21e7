import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first is Chromium without the pages that make up its own window, which take time in each window. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser']

/**
 * Returns the path of Chromium: SHEAF_CHROMIUM, else from the PATH. Throws with instructions when it is
 * missing.
 */
export function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const places = process.env.SHEAF_CHROMIUM
    ? [process.env.SHEAF_CHROMIUM]
    : names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = places.find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    'the console is tested and measured in Chromium: install it (`apt-get install chromium-headless-shell`), or name one in SHEAF_CHROMIUM',
  )
}

/** Returns its arguments: root cannot use its sandbox, and the opened pages are our own. */
export function chromiumArguments(): string[] {
  return process.getuid?.() === 0 ? ['--no-sandbox'] : []
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
