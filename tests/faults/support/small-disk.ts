import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { findEngine } from '@sheaf/testkit/engine-process'
import type { RunningSheaf, SheafOptions } from '@sheaf/testkit/sheaf'

/** A disk of one Sheaf that can be filled. */
export interface SmallDisk {
  /**
   * How it is implemented: a separate file system or, without the right to mount one, a limit on file sizes.
   */
  readonly kind: 'tmpfs' | 'file size limit'
  /** Options for startSheaf. */
  readonly options: SheafOptions
  /** Uses up all free space. */
  fill(sheaf: RunningSheaf): Promise<void>
  /** Frees space. */
  free(sheaf: RunningSheaf): Promise<void>
  /** Path of a file on the disk, as seen by this process. */
  reach(sheaf: RunningSheaf, path: string): string
}

/** True when a file system can be mounted for one process tree only. */
function canMount(): boolean {
  try {
    execFileSync('unshare', ['-m', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A small disk for a folder of the data folder. */
export function createSmallDisk(
  folder: 'documents' | 'nats' | 'store',
  megabytes: number,
): SmallDisk {
  const writer = folder === 'nats' ? 'nats' : 'document-data'
  return canMount() ? mountedDisk(folder, megabytes) : limitedFiles(writer)
}

function mountedDisk(folder: string, megabytes: number): SmallDisk {
  const place = `"$SHEAF_DATA/${folder}"`
  const mount = `mkdir -p ${place} && mount -t tmpfs -o size=${megabytes}m tmpfs ${place}`
  // The mount is visible to this process tree only, and ends with it.
  const wrapper = ['unshare', '-m', 'sh', '-c', `${mount} && exec "$@"`, 'sh']
  const reach = (sheaf: RunningSheaf, path: string) => `/proc/${sheaf.pid}/root${path}`
  const filler = (sheaf: RunningSheaf) => reach(sheaf, join(sheaf.dataDir, folder, 'filler'))
  return {
    kind: 'tmpfs',
    options: { wrapper },
    fill: (sheaf) => Promise.resolve(fillUp(filler(sheaf))),
    free: (sheaf) => Promise.resolve(rmSync(filler(sheaf), { force: true })),
    reach,
  }
}

function fillUp(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (const size of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(size))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(file, bytes) < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

/** Without mounts: limits the files of the process to their present size. */
function limitedFiles(writer: Writer): SmallDisk {
  return {
    kind: 'file size limit',
    options: {},
    fill: (sheaf) => limitFileSize(sheaf, writer, 1),
    free: (sheaf) => limitFileSize(sheaf, writer, 'unlimited'),
    reach: (_sheaf, path) => path,
  }
}

type Writer = 'document-data' | 'nats'

/**
 * Limits the files that a process writes to this many bytes; only the soft limit, which any user may raise
 * again.
 */
export async function limitFileSize(
  sheaf: RunningSheaf,
  writer: Writer,
  bytes: number | 'unlimited',
): Promise<void> {
  const pid = writer === 'nats' ? findEngine(sheaf.dataDir, writer) : (await sheaf.pids())[writer]
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}
