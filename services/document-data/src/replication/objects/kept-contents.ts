import { CHUNK_BYTES, findContent } from '../../store/attachments/file-contents'
import type { ReceivedContent } from '../../store/documents/replicator'
import type { LoggedContent } from '../../store/log/log'
import type { LogRecord } from '../../store/log/record-writer'
import type { Connection } from '../../store/sqlite/connections'
import type { FileSource, StoredFiles } from './stored-files'

/** The contents that a record links to attachments. */
export function linkedContents({ entry }: LogRecord): readonly LoggedContent[] {
  return (entry?.operations ?? []).flatMap((operation) =>
    'contents' in operation ? (operation.contents ?? []) : [],
  )
}

/** The contents of attachments in the store, by their hashes. */
export class KeptContents {
  constructor(private readonly stored: StoredFiles) {}

  /** Stores the content of an upload. */
  async keep(docId: string, content: ReceivedContent): Promise<void> {
    const name = nameOf(content.sha256)
    if (!(await this.stored.has(docId, name))) await this.stored.put(docId, name, content)
  }

  /** Stores the contents that records of an open transaction link; most of them are in the store already. */
  async keepLinked(
    docId: string,
    connection: Connection,
    records: readonly LogRecord[],
  ): Promise<void> {
    for (const content of records.flatMap(linkedContents)) {
      const name = nameOf(content.hash)
      if (await this.stored.has(docId, name)) continue
      const source = sourceOf(connection, content)
      if (source) await this.stored.put(docId, name, source)
    }
  }

  /** Writes a content to a new path; false when the store does not have it. */
  fetch(docId: string, hash: string, path: string): Promise<boolean> {
    return this.stored.get(docId, nameOf(hash), path)
  }
}

const nameOf = (hash: string) => `contents/${hash}`

/** A content in a document file; undefined when the file does not have it. */
function sourceOf(connection: Connection, { hash, size }: LoggedContent): FileSource | undefined {
  const fileId = findContent(connection, hash)
  if (fileId === undefined) return undefined
  const sql = 'SELECT bytes FROM _sheaf_file_chunks WHERE file_id = ? AND position = ?'
  const read = (offset: number, length: number) => {
    const chunk = connection.pluck<Buffer>(sql).get(fileId, offset / CHUNK_BYTES)
    if (chunk?.length !== length) throw new Error('the chunks of a content do not fit its size')
    return Promise.resolve(chunk)
  }
  return { size, read }
}
