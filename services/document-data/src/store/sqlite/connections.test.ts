import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createDocumentBytes } from '../documents/new-document'
import { openWriter } from './connections'

// Tests do not cut the power, and their files may be in memory, so the settings are checked instead.
it('syncs the write-ahead log of a document to disk at every commit', async () => {
  await using folder = await tempDir()
  const path = join(folder.path, 'document.sqlite')
  const author = { userId: 1, cause: 'api', traceparent: '' } as const
  await writeFile(path, createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author).bytes)
  const writer = openWriter(path)
  try {
    const FULL = 2
    expect(writer.db.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(writer.db.pragma('journal_mode', { simple: true })).toBe('wal')
  } finally {
    writer.close()
  }
})
