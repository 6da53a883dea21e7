// Keeps copies of tables in another document in step with the originals, by the change feed:
//
//   URL=http://localhost:8080 KEY=shf_… SOURCE=<docId> COPY=<docId> node examples/keep-in-step.mjs People Orders
//
// The copies have the data columns of the originals, except references and attachments, and a column SourceId with the row id
// of the original. The table InStep of the copy has the position in the feed, written together with the rows, so that the
// script continues where it ended, also after a crash. It copies all rows again when the source was replaced by a backup of it.
// FOLLOW=no ends it after the latest change.

import { Sheaf } from '@sheaf/client'

/** Records of one write. */
const PART = 500

const { URL: url, KEY: key, SOURCE: sourceId, COPY: copyId, FOLLOW } = process.env
const tableIds = process.argv.slice(2)
const sheaf = new Sheaf({ url, key })
const source = sheaf.doc(sourceId)
const copy = sheaf.doc(copyId)

/** Column ids of each table that are copied. */
const copied = new Map()

/** Adds the table and the columns that the copy lacks. */
async function prepareTable(tableId) {
  const columns = (await source.table(tableId).columns.list())
    .filter(({ fields }) => !fields.isFormula && !/^(Ref|Attachments)/.test(fields.type))
    .map(({ id, fields: { type, label, widgetOptions } }) => ({
      id,
      fields: { type, label, widgetOptions, untieColIdFromLabel: true },
    }))
  await addMissing(tableId, [{ id: 'SourceId', fields: { type: 'Int' } }, ...columns])
  copied.set(
    tableId,
    columns.map(({ id }) => id),
  )
}

async function addMissing(tableId, columns) {
  const tables = await copy.tables({ columns: true })
  const found = tables.find(({ id }) => id === tableId)
  if (!found) return copy.addTables([{ id: tableId, columns }])
  const missing = columns.filter(({ id }) => !found.columns.some((column) => column.id === id))
  if (missing.length > 0) await copy.table(tableId).columns.add(missing)
}

/** Copies all rows as they are now. Returns the position from which changes are still to be applied. */
async function copyTables() {
  const { seq, etag } = await source.position()
  for (const tableId of tableIds) await prepareTable(tableId)
  for (const tableId of tableIds) {
    const originals = new Set()
    let records = []
    const write = async () => {
      if (records.length > 0) await apply([upsert(tableId, records)])
      records = []
    }
    for await (const { id, fields } of source.table(tableId).list()) {
      originals.add(id)
      records.push(toRecord(tableId, id, (column) => fields[column]))
      if (records.length === PART) await write()
    }
    await write()
    // Those that an earlier start has copied, and that were deleted since.
    const gone = await copy.table(tableId).all({ fields: ['SourceId'] })
    const ids = gone.filter(({ fields }) => !originals.has(fields.SourceId)).map(({ id }) => id)
    if (ids.length > 0) await copy.table(tableId).delete(ids)
  }
  await apply([position(seq, etag)])
  return { seq, etag }
}

/** Applies one change, with its position. */
async function applyChange({ seq, operations }) {
  let waiting = []
  for (const operation of operations) {
    const { action, tableId, rowIds } = operation
    if (!copied.has(tableId)) continue
    if (action === 'addColumn') await prepareTable(tableId)
    else if (action === 'removeRows') {
      // Rows that the same change has added are found only once they are written.
      await apply(waiting)
      waiting = await removals(tableId, rowIds)
    } else if (action === 'addRows' || action === 'updateRows') {
      const cells = (index) => (column) => operation.columns[column]?.new?.[index]
      const records = rowIds.map((id, index) => toRecord(tableId, id, cells(index)))
      for (let start = 0; start < records.length; start += PART)
        waiting.push(upsert(tableId, records.slice(start, start + PART)))
    }
  }
  await apply([...waiting, position(seq)])
}

/** Applies the changes after a position. */
async function follow({ seq: after, etag }) {
  for await (const change of source.changes({ after, etag, follow: FOLLOW !== 'no' })) {
    await applyChange(change)
    console.log(`change ${change.seq}`)
  }
}

/** A record to change or to add, with the cells that are known. */
function toRecord(tableId, SourceId, cellOf) {
  const cells = copied.get(tableId).map((column) => [column, cellOf(column)])
  return {
    require: { SourceId },
    fields: Object.fromEntries(cells.filter(([, value]) => value !== undefined)),
  }
}

const upsert = (table, records) => ({ op: 'addOrUpdateRecords', table, records })

/** The ETag names the log of the document, in which `Seq` is a position. */
const position = (Seq, ETag) =>
  upsert('InStep', [{ require: { Source: sourceId }, fields: { Seq, ETag } }])

async function removals(table, rowIds) {
  const filter = { SourceId: rowIds }
  const rows = await copy.table(table).all({ filter, fields: ['SourceId'] })
  return [{ op: 'deleteRecords', table, records: rows.map(({ id }) => ({ id })) }]
}

/** Cells are written as they were read, not parsed again. */
async function apply(operations) {
  if (operations.length > 0) await copy.batch(operations, { noParse: true })
}

await addMissing('InStep', [
  { id: 'Source', fields: { type: 'Text' } },
  { id: 'Seq', fields: { type: 'Int' } },
  { id: 'ETag', fields: { type: 'Text' } },
])
for (const tableId of tableIds) await prepareTable(tableId)
const [kept] = await copy.table('InStep').all({ filter: { Source: [sourceId] } })
let start = kept && { seq: kept.fields.Seq, etag: kept.fields.ETag }
for (let isEnded = false; !isEnded;) {
  start ??= await copyTables()
  console.log(`in step from change ${start.seq}`)
  try {
    await follow(start)
    isEnded = true
  } catch (error) {
    if (error.reason !== 'CHANGES_CUT') throw error
    start = undefined
  }
}
