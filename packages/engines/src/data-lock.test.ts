import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockDataDir } from './data-lock'
import { EngineError } from './engine-error'
import { identifyProcess } from './process-table'

describe('lockDataDir', () => {
  let dataDir: string

  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'sheaf-lock-')), 'data')
  })
  afterEach(() => rm(join(dataDir, '..'), { recursive: true }))

  const plantClaim = async (holder: { pid: number; startedAt: string }) => {
    await mkdir(join(dataDir, 'lock'), { recursive: true })
    await writeFile(join(dataDir, 'lock', 'planted.json'), JSON.stringify(holder))
  }

  it('creates a folder that other users cannot access', async () => {
    await using lock = await lockDataDir(dataDir)
    expect((await stat(lock.dataDir)).mode & 0o777).toBe(0o700)
  })

  it('rejects a second holder, naming folder and process, until the lock is released', async () => {
    const lock = await lockDataDir(dataDir)
    await expect(lockDataDir(dataDir)).rejects.toThrow(
      new EngineError(
        `the data folder ${lock.dataDir} is in use by another Sheaf (process ${process.pid})`,
      ),
    )
    await lock.release()
    await (await lockDataDir(dataDir)).release()
    expect(await readdir(join(dataDir, 'lock'))).toEqual([])
  })

  it('respects a lock held by another running process', async () => {
    const parent = identifyProcess(process.ppid)
    await plantClaim(parent!)
    await expect(lockDataDir(dataDir)).rejects.toThrow(`(process ${process.ppid})`)
  })

  it('ignores a lock whose pid now belongs to another process', async () => {
    await plantClaim({ pid: process.ppid, startedAt: 'before that' })
    await (await lockDataDir(dataDir)).release()
  })

  it('ignores a lock file that was written only partly', async () => {
    await mkdir(join(dataDir, 'lock'), { recursive: true })
    await writeFile(join(dataDir, 'lock', 'planted.json'), '{"pid":')
    await (await lockDataDir(dataDir)).release()
  })

  it('reports in one sentence that the folder cannot be created', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'file'), '')
    const refusal = lockDataDir(join(dataDir, 'file', 'data'))
    await expect(refusal).rejects.toThrow(/^the data folder .*data cannot be used: ENOTDIR/)
  })

  it('grants the lock to exactly one of many concurrent callers', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
    const winners = starts.filter((start) => start.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    await winners[0]?.value.release()
  })
})
