import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findRunFile, removeRunFile, runFilePath, writeRunFile, type RunFile } from './run-file'

const run: RunFile = {
  url: 'http://127.0.0.1:8484',
  addresses: { directory: '127.0.0.1:1', documentData: '127.0.0.1:2', webhook: '127.0.0.1:3' },
  pids: { standalone: process.pid, gateway: 4 },
  startedAt: '2025-01-01T00:00:00.000Z',
}

describe('run file', () => {
  let dataDir: string
  beforeEach(async () => (dataDir = await mkdtemp(join(tmpdir(), 'sheaf-run-file-'))))
  afterEach(() => rm(dataDir, { recursive: true }))

  it('is read back as written, by nobody else, until it is removed', async () => {
    expect(await findRunFile(dataDir)).toBeUndefined()
    await writeRunFile(dataDir, run)
    await writeRunFile(dataDir, run)
    expect(await findRunFile(dataDir)).toEqual(run)
    expect((await stat(runFilePath(dataDir))).mode & 0o777).toBe(0o600)
    expect(await readdir(dataDir)).toEqual(['run.json'])
    await removeRunFile(dataDir)
    await removeRunFile(dataDir)
    expect(await findRunFile(dataDir)).toBeUndefined()
  })

  it('is not believed when its process has gone', async () => {
    const stale = { ...run, pids: { standalone: 2 ** 30 } }
    await writeFile(runFilePath(dataDir), JSON.stringify(stale))
    expect(await findRunFile(dataDir)).toBeUndefined()
  })
})
