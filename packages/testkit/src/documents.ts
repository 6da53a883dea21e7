import { Client } from 'pg'

/** Where a document is, and how much of it is only in its log. */
export interface DocumentPlace {
  /** Name of the document-data instance that it is assigned to. */
  readonly home: string
  /** Records after its latest snapshot. */
  readonly tail: number
}

/** Reads where a replicated document is from the database of directory, which holds the logs as well. */
export async function locateDocument(databaseUrl: string, docId: string): Promise<DocumentPlace> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ home: string; tail: string }>(
      `select d.home, h.lsn - coalesce(h.snapshot_lsn, 0) as tail
       from directory.documents d join document_log.head h on h.doc = d.doc_id
       where d.doc_id = $1`,
      [docId],
    )
    const [row] = rows
    if (!row) throw new Error(`there is no document ${docId}`)
    return { home: row.home, tail: Number(row.tail) }
  } finally {
    await client.end()
  }
}
