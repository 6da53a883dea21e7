import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'
import { translateSqliteError } from '../../src/store/sqlite/sqlite-errors'
import { WorkerPool } from '../../src/store/workers/worker-pool'
import { addColumns, buildWorkers, createTable, openStore } from '../support/test-store'

const pathOf = (folder: string, docId: string) =>
  join(folder, docId.slice(0, 2), docId, 'document.sqlite')

describe('an error of a thread', () => {
  beforeAll(buildWorkers, 240_000)

  it('says all that the caller can act on, also when the log is cut between the look at it and the read', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const docId = await createTable(store, 'Data', { A: 'Text' })
    await addColumns(store, docId, 'Data', new Map([['A', ['a']]]))
    const path = pathOf(folder.path, docId)
    const db = new Database(path)
    db.exec('DELETE FROM _sheaf_log WHERE seq < 3')
    db.close()

    await using pool = new WorkerPool({ size: 1, onCrash: () => {} })
    const plan = { after: 0, limit: 10, fullRows: false, tableRefs: [], oldValues: true }
    const read = pool.read(path, plan, { signal: undefined, maxAgeMs: 60_000 }, () => {})
    await expect(read.chunks().next()).rejects.toMatchObject({
      name: 'AppError',
      code: 'precondition',
      reason: 'CHANGES_CUT',
      message: 'the change log does not reach back far enough: its oldest change is 3',
      metadata: { oldestSeq: '3' },
    })
  })

  it('names the damage of a log in the form in which the store recognizes it', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const docId = await createTable(store, 'Data', { A: 'Text' })
    const path = pathOf(folder.path, docId)
    const db = new Database(path)
    db.exec('UPDATE _sheaf_log SET time = time + 1 WHERE seq = 2')
    db.close()

    await using pool = new WorkerPool({ size: 1, onCrash: () => {} })
    const plan = { after: 0, limit: 10, fullRows: false, tableRefs: [], oldValues: true }
    const read = pool.read(path, plan, { signal: undefined, maxAgeMs: 60_000 }, () => {})
    const error = await read
      .chunks()
      .next()
      .catch((thrown: unknown) => thrown)
    expect(translateSqliteError(error)).toMatchObject({
      code: 'unavailable',
      reason: 'DOCUMENT_DAMAGED',
    })
  })
})
