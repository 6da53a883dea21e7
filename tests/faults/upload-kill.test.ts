import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '@sheaf/testkit/eventually'
import Database from 'better-sqlite3'
import { formOf, useOwnAttachments } from '../support/attachments'

const FILE_BYTES = 90 * 1024 * 1024

const files = useOwnAttachments()

/** Reads the file of the document. */
function count(sql: string): number {
  const docId = files.doc.replace('/api/docs/', '')
  const path = join(documents(), docId.slice(0, 2), docId, 'document.sqlite')
  const db = new Database(path, { readonly: true })
  try {
    return db.prepare(sql).pluck().get() as number
  } finally {
    db.close()
  }
}

const documents = () => join(files.system.sheaf.dataDir, 'documents')
const chunks = () => count('SELECT count(*) FROM _sheaf_file_chunks')
const staged = () => {
  const folder = join(documents(), 'unfinished')
  return existsSync(folder) ? readdirSync(folder) : []
}

describe('an upload whose service is killed', () => {
  it.each([
    ['while the bytes arrive', () => staged().length > 0],
    ['while they are stored', () => chunks() > 1],
  ])('leaves nothing behind when that happens %s', async (_, isThere) => {
    const { sheaf } = files.system
    await files.upload(['kept.txt', 'kept'])
    const pid = (await sheaf.pids())['document-data'] ?? 0
    const sent = files.post(formOf([['a.bin', randomBytes(FILE_BYTES)]])).catch(() => undefined)
    await eventually(isThere, { everyMs: 1 })
    // At once: the upload must not end before.
    process.kill(pid, 'SIGKILL')
    await sheaf.restarted('document-data', pid)
    expect((await sent)?.status).not.toBe(200)
    expect((await files.list()).map(({ id }) => id)).toEqual([1])
    await eventually(() => chunks() === 1 && count('SELECT count(*) FROM _sheaf_files') === 1)
    expect(staged()).toEqual([])
    expect((await files.get('1/download')).text).toBe('kept')
  })
})
