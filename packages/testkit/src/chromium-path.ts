import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser']

/** Where Chromium is: what SHEAF_CHROMIUM says, else on the PATH. Throws with what to do when there is none. */
export function findChromium(): string {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const places = process.env.SHEAF_CHROMIUM
    ? [process.env.SHEAF_CHROMIUM]
    : names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const found = places.find(isProgram)
  if (found !== undefined) return found
  throw new Error(
    'the console is tested and measured in Chromium: install it (`apt-get install chromium`), or name one in SHEAF_CHROMIUM',
  )
}

/** How it is started: root may not use its sandbox, and what is opened here is ours. */
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
