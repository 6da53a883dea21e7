// Exports each table of a document to a Parquet file, by way of Arrow, for a nightly job:
//
//   URL=http://localhost:8080 KEY=shf_… DOC=<docId> FOLDER=export node examples/nightly-parquet.mjs
//
// All files show the document after one change, whose number they have as `sheaf.seq` in their metadata. They replace those of
// the last export when all of them are written, so that a failed run leaves these as they were, and has exit code 1. Files of
// tables that were removed since stay. One table at a time is in memory. Reading a former moment needs an editor.

import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Sheaf } from '@sheaf/client'
import { Compression, Table, WriterPropertiesBuilder, writeParquet } from 'parquet-wasm'

const { URL: url, KEY: key, DOC: docId, FOLDER: folder = '.' } = process.env
const sheaf = new Sheaf({ url, key })
const path = `/api/docs/${encodeURIComponent(docId)}`

/** Writes all tables as they are now, one after another. Resolves to their ids, and the number of the latest change. */
async function exportTables(target) {
  const response = await sheaf.fetch({ method: 'GET', path: `${path}/tables` })
  const seq = Number(response.headers.get('etag').match(/\.(\d+)/)[1])
  const { tables } = await response.json()
  for (const { id } of tables) {
    const { rows, bytes } = toParquet(await readArrow(id, seq), seq)
    await writeFile(join(target, `${id}.parquet`), bytes)
    console.log(`${id}: ${rows} rows, ${bytes.length} bytes`)
  }
  return { seq, tableIds: tables.map(({ id }) => id) }
}

/** Reads a table as it was after a change, as a stream of Arrow record batches. */
async function readArrow(tableId, asOf) {
  const response = await sheaf.fetch({
    method: 'GET',
    path: `${path}/tables/${encodeURIComponent(tableId)}/records`,
    query: { asOf },
    headers: { accept: 'application/vnd.apache.arrow.stream' },
  })
  return new Uint8Array(await response.arrayBuffer())
}

function toParquet(arrow, seq) {
  const table = Table.fromIPCStream(arrow)
  const rows = table.recordBatches().reduce((sum, { numRows }) => sum + numRows, 0)
  const metadata = new Map([
    ['sheaf.document', docId],
    ['sheaf.seq', String(seq)],
  ])
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.ZSTD)
    .setKeyValueMetadata(metadata)
    .build()
  // Takes the table, and releases its memory.
  return { rows, bytes: writeParquet(table, properties) }
}

await mkdir(folder, { recursive: true })
// In the same folder, and so on the same disk, as the files that it replaces.
const unfinished = await mkdtemp(join(folder, '.unfinished-'))
try {
  const { seq, tableIds } = await exportTables(unfinished)
  for (const id of tableIds)
    await rename(join(unfinished, `${id}.parquet`), join(folder, `${id}.parquet`))
  console.log(`exported the document as of change ${seq}`)
} catch (error) {
  console.error(`the export failed: ${error.message}`)
  process.exitCode = 1
} finally {
  await rm(unfinished, { recursive: true })
}
