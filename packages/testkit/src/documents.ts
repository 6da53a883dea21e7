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
  const [row] = await query<{ home: string; tail: string }>(
    databaseUrl,
    `select d.home, h.lsn - coalesce(h.snapshot_lsn, 0) as tail
     from directory.documents d join document_log.head h on h.doc = d.doc_id
     where d.doc_id = $1`,
    docId,
  )
  if (!row) throw new Error(`there is no document ${docId}`)
  return { home: row.home, tail: Number(row.tail) }
}

/** The mean size in bytes of the latest records of a replicated document, 100 at most, that are in the log database. */
export async function readRecordSize(databaseUrl: string, docId: string): Promise<number> {
  const [row] = await query<{ bytes: string | null }>(
    databaseUrl,
    `select avg(octet_length(body)) as bytes from (
       select body from document_log.record where doc = $1 order by lsn desc limit 100
     ) latest`,
    docId,
  )
  return Number(row?.bytes ?? NaN)
}

async function query<T extends object>(
  databaseUrl: string,
  sql: string,
  docId: string,
): Promise<T[]> {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    return (await client.query<T>(sql, [docId])).rows
  } finally {
    await client.end()
  }
}
