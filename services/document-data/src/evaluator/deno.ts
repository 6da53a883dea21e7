import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Packages with the executable, by platform. The GNU C library is needed on Linux. */
const PACKAGES: Readonly<Record<string, string>> = {
  'darwin arm64': '@deno/darwin-arm64',
  'darwin x64': '@deno/darwin-x64',
  'linux arm64': '@deno/linux-arm64-glibc',
  'linux x64': '@deno/linux-x64-glibc',
}

/** An installed Deno. */
export interface Deno {
  /** Path of the executable. */
  readonly program: string
  readonly version: string
}

/** Finds the Deno that npm installed for this platform; undefined where there is none. */
export function findDeno(): Deno | undefined {
  const name = PACKAGES[`${process.platform} ${process.arch}`]
  if (name === undefined) return undefined
  try {
    const path = require.resolve(`${name}/package.json`)
    const program = join(dirname(path), 'deno')
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string }
    return existsSync(program) ? { program, version } : undefined
  } catch {
    return undefined
  }
}

/** The sentence for the log, and the reason of pending formulas, where `findDeno` finds none. */
export const NO_DENO = `formulas in Python are not computed: there is no package of Deno for ${process.platform} ${process.arch}, or npm did not install it`

/** Deno would keep caches in the home folder of its user; where its folder cannot be made, it does without. */
export const DENO_ENVIRONMENT: Readonly<Record<string, string>> = { DENO_DIR: '/dev/null/none' }

/** Arguments that start a module with no permission except to read its folder. */
export function denoArguments(
  folder: string,
  module: string,
  v8Flags: readonly string[],
): string[] {
  return [
    'run',
    '--quiet',
    ...['--no-prompt', '--no-remote', '--no-npm', '--no-config', '--no-lock', '--no-code-cache'],
    ...(v8Flags.length > 0 ? [`--v8-flags=${v8Flags.join(',')}`] : []),
    `--allow-read=${folder}`,
    join(folder, module),
    folder,
  ]
}
