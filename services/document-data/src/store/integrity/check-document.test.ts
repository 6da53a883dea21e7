import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  closeSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createDocumentBytes } from '../documents/new-document'
import { checkDocument } from './check-document'
import { checkFolder, type CheckStep } from './check-folder'

async function listSteps(root: string): Promise<CheckStep[]> {
  const steps: CheckStep[] = []
  for await (const step of checkFolder(root, { full: false, replay: false })) steps.push(step)
  return steps
}

describe('checking a document', () => {
  let folder: string
  let path: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sheaf-check-'))
    path = join(folder, 'document.sqlite')
    const settings = { timezone: 'UTC', locale: 'en-US' }
    const author = { userId: 1, cause: 'api', traceparent: '' } as const
    writeFileSync(path, createDocumentBytes(settings, author).bytes)
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const check = () => checkDocument(path, { full: true })

  /** Leaves the file as a killed process does: writes are in the write-ahead log. */
  function leaveWrites(count: number): void {
    const db = new Database(path)
    db.pragma('wal_autocheckpoint = 0')
    const insert = db.prepare(
      "INSERT INTO _sheaf_log VALUES (?, 0, 1, 1, '', '[]', '[]', NULL, NULL, 0)",
    )
    for (let seq = 2; seq < 2 + count; seq++) insert.run(seq)
    for (const suffix of ['', '-wal']) copyFileSync(path + suffix, join(folder, `copy${suffix}`))
    db.close()
    path = join(folder, 'copy')
  }

  it('finds nothing in a sound one, closed or left by a killed process', () => {
    expect(check()).toEqual([])
    leaveWrites(20)
    expect(check()).toEqual([])
  })

  it('finds writes that are lost behind damage in the write-ahead log', () => {
    leaveWrites(20)
    const wal = readFileSync(`${path}-wal`)
    const file = openSync(`${path}-wal`, 'r+')
    writeSync(file, Buffer.alloc(32, 0xa5), 0, 32, Math.floor(wal.length / 2))
    closeSync(file)
    expect(check()).toEqual([
      expect.stringMatching(/^its write-ahead log is damaged at frame \d+: later writes are lost/),
    ])
    writeFileSync(`${path}-wal`, Buffer.alloc(10_000, 7))
    expect(check()).toEqual(['the header of its write-ahead log is damaged'])
  })

  it('takes a torn end of the write-ahead log for what it is: a write that was never answered', () => {
    leaveWrites(20)
    const wal = readFileSync(`${path}-wal`)
    writeFileSync(`${path}-wal`, wal.subarray(0, wal.length - 1_000))
    expect(check()).toEqual([])
  })

  it('finds gaps in the log, and publishing that is ahead of it', () => {
    const db = new Database(path)
    db.exec("INSERT INTO _sheaf_log VALUES (4, 0, 1, 1, '', '[]', '[]', NULL, NULL, 0)")
    db.exec('UPDATE _sheaf_state SET published_seq = 9')
    db.close()
    expect(check()).toEqual([
      'its log lacks 2 of the entries from 1 to 4',
      'it has published changes up to 9, but its log ends at 4: writes are lost',
    ])
  })

  it('tells files that are no documents, and those of a newer version', () => {
    const db = new Database(path)
    db.pragma('user_version = 99')
    db.close()
    expect(check()).toEqual([expect.stringMatching(/^it was written by a newer release/)])
    writeFileSync(path, '')
    expect(check()).toEqual(['its file is empty'])
    writeFileSync(path, 'no database at all')
    expect(check()).toEqual([expect.stringMatching(/^its file cannot be read/)])
  })

  it('takes what remains of a deleted document for no document', async () => {
    const docId = '0f8fad5b-d9cb-469f-a165-70867728950e'
    const remains = join(folder, 'root', '0f', docId)
    mkdirSync(remains, { recursive: true })
    writeFileSync(join(remains, 'deleted'), '')
    const checkAll = () => listSteps(join(folder, 'root'))
    expect(await checkAll()).toEqual([{ total: 0, findings: [expect.anything()] }])
    writeFileSync(join(remains, 'document.sqlite'), readFileSync(path))
    const finding = { level: 'error', docId, message: expect.stringContaining('was deleted, but') }
    expect((await checkAll())[1]).toEqual({ total: 1, docId, findings: [finding] })
  })

  it('says that there is no folder, when there is none', async () => {
    expect(await listSteps(join(folder, 'nowhere'))).toEqual([
      { total: 0, findings: [expect.objectContaining({ level: 'note' })] },
    ])
  })
})
