import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { median } from './statistics'

/** The machine that figures are of, and how busy it was. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly node: string
  /** Where the data lay. */
  readonly fileSystem: string
  /** What it took to make one page durable. */
  readonly fsyncMs: number
  /** Processes that wanted a core in the minute before, before anything of the benchmark ran. */
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

/** Looks at this machine; to be asked before anything is started. */
export async function lookAtMachine(): Promise<Machine> {
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

/** The machine in a sentence. */
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
