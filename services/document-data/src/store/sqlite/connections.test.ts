import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createDocumentBytes } from '../documents/new-document'
import { openBuilder, openGroupingReader, openLongReader, openWriter } from './connections'

async function createFile(folder: string): Promise<string> {
  const path = join(folder, 'document.sqlite')
  const author = { userId: 1, cause: 'api', traceparent: '' } as const
  await writeFile(path, createDocumentBytes({ timezone: 'UTC', locale: 'en-US' }, author).bytes)
  return path
}

// Tests do not cut the power, and their files may be in memory, so the settings are checked instead.
it('syncs the write-ahead log of a document to disk at every commit', async () => {
  await using folder = await tempDir()
  const writer = openWriter(await createFile(folder.path))
  try {
    const FULL = 2
    expect(writer.db.pragma('synchronous', { simple: true })).toBe(FULL)
    expect(writer.db.pragma('journal_mode', { simple: true })).toBe('wal')
  } finally {
    writer.close()
  }
})

it('gives a long read, of which many may be unread, a page cache of 2 MiB instead of 16 MB', async () => {
  await using folder = await tempDir()
  const reader = openLongReader(await createFile(folder.path))
  try {
    expect(reader.db.pragma('cache_size', { simple: true })).toBe(-2048)
  } finally {
    reader.close()
  }
})

it('groups the values of a column in a file by 2 MiB of memory, however long they are', async () => {
  await using folder = await tempDir()
  const reader = openGroupingReader(await createFile(folder.path))
  try {
    const FILE = 1
    expect(reader.db.pragma('temp_store', { simple: true })).toBe(FILE)
    expect(reader.db.pragma('cache_size', { simple: true })).toBe(-2048)
  } finally {
    reader.close()
  }
})

it('sorts the keys of an index in a file by 4 MiB of memory, however many rows there are', async () => {
  await using folder = await tempDir()
  const builder = openBuilder(await createFile(folder.path))
  try {
    const FILE = 1
    expect(builder.db.pragma('temp_store', { simple: true })).toBe(FILE)
    expect(builder.db.pragma('cache_size', { simple: true })).toBe(-4096)
  } finally {
    builder.close()
  }
})
