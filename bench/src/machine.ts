import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { median } from './statistics'

/** The machine on which figures were measured, and its load. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly node: string
  /** File system of the data folder. */
  readonly fileSystem: string
  /** Duration of making one page durable. */
  readonly fsyncMs: number
  /** Load average of the minute before the benchmark. */
  readonly loadBefore: number
}

const fileSystems: Readonly<Record<number, string>> = {
  0xef53: 'ext4',
  0x58465342: 'xfs',
  0x9123683e: 'btrfs',
  0x01021994: 'tmpfs (in memory)',
  0x794c7630: 'overlay',
}
const SYNCS = 200

/** Inspects this machine; call it before anything is started. */
export async function inspectMachine(): Promise<Machine> {
  const loadBefore = loadavg()[0] ?? NaN
  const all = cpus()
  const { type } = statfsSync(tmpdir())
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    fileSystem: fileSystems[type] ?? `file system ${type.toString(16)}`,
    fsyncMs: await measureSync(),
    loadBefore,
  }
}

/** Describes the machine in a sentence. */
export function describeMachine(machine: Machine): string {
  const { cpu, cores, memoryGiB, node, fileSystem, fsyncMs, loadBefore } = machine
  const busy = loadBefore > cores / 2 ? ' (busy with other work: it can do better)' : ''
  return (
    `${cores} cores (${cpu}), ${memoryGiB} GiB, Node ${node}; data on ${fileSystem}, ` +
    `a page made durable in ${fsyncMs.toFixed(2)} ms; load before the run ${loadBefore.toFixed(1)}${busy}`
  )
}

async function measureSync(): Promise<number> {
  await using folder = await tempDir()
  const file = openSync(join(folder.path, 'sync'), 'w')
  const page = Buffer.alloc(4096, 1)
  try {
    const times = Array.from({ length: SYNCS }, () => {
      const start = performance.now()
      writeSync(file, page)
      fdatasyncSync(file)
      return performance.now() - start
    })
    return median(times)
  } finally {
    closeSync(file)
  }
}

/** Returns the commit of a folder, with a note if files differ from it; empty outside a repository. */
export function findCommit(folder: string): string {
  try {
    const run = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' })
    const changed = run('status', '--porcelain', '--untracked-files=no').trim() !== ''
    return run('rev-parse', '--short', 'HEAD').trim() + (changed ? ' with changes' : '')
  } catch {
    return ''
  }
}
