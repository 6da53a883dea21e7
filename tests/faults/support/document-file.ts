import { existsSync } from 'node:fs'
import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import Database from 'better-sqlite3'

/** Path of a document's file; `doc` is its path in the API or its UUID. */
export function fileOf(dataDir: string, doc: string): string {
  const docId = docIdOf(doc)
  return join(dataDir, 'documents', docId.slice(0, 2), docId, 'document.sqlite')
}

/** Deletes all documents of an instance of document-data, which must not run. */
export async function deleteDocuments(dataDir: string, instance: string): Promise<void> {
  const own = join(dataDir, 'instances', instance)
  const folder = join(existsSync(own) ? own : dataDir, 'documents')
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** UUID of a document, from its path in the API. */
export function docIdOf(doc: string): string {
  return doc.split('/').at(-1) ?? ''
}

/** SQLite's findings about a file, and the positions in its log. */
export function inspectFile(path: string): { integrity: string; seqs: number[] } {
  const db = new Database(path, { readonly: true, timeout: 10_000 })
  try {
    const seqs = db.prepare('SELECT seq FROM _sheaf_log ORDER BY seq').pluck().all() as number[]
    return { integrity: String(db.pragma('integrity_check', { simple: true })), seqs }
  } finally {
    db.close()
  }
}

/**
 * Like inspectFile, for a file in another file system, which SQLite could not open. No process may write to
 * it meanwhile.
 */
export async function inspectCopy(path: string): Promise<ReturnType<typeof inspectFile>> {
  await using folder = await tempDir()
  const copy = join(folder.path, 'document.sqlite')
  for (const suffix of ['', '-wal']) await copyFile(path + suffix, copy + suffix)
  return inspectFile(copy)
}
