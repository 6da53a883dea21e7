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

  it('makes a folder that is closed to others', async () => {
    await using lock = await lockDataDir(dataDir)
    expect((await stat(lock.dataDir)).mode & 0o777).toBe(0o700)
  })

  it('refuses a second holder by one sentence with folder and process, until released', async () => {
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

  it('respects the claim of another living process', async () => {
    const parent = identifyProcess(process.ppid)
    await plantClaim(parent!)
    await expect(lockDataDir(dataDir)).rejects.toThrow(`(process ${process.ppid})`)
  })

  it('ignores a claim whose pid now belongs to another process', async () => {
    await plantClaim({ pid: process.ppid, startedAt: 'before that' })
    await (await lockDataDir(dataDir)).release()
  })

  it('ignores a claim that was cut short', async () => {
    await mkdir(join(dataDir, 'lock'), { recursive: true })
    await writeFile(join(dataDir, 'lock', 'planted.json'), '{"pid":')
    await (await lockDataDir(dataDir)).release()
  })

  it('says in one sentence that the folder cannot be made', async () => {
    await mkdir(dataDir)
    await writeFile(join(dataDir, 'file'), '')
    const refusal = lockDataDir(join(dataDir, 'file', 'data'))
    await expect(refusal).rejects.toThrow(/^the data folder .*data cannot be used: ENOTDIR/)
  })

  it('lets exactly one of many simultaneous starters in', async () => {
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)))
    const winners = starts.filter((start) => start.status === 'fulfilled')
    expect(winners).toHaveLength(1)
    await winners[0]?.value.release()
  })
})
