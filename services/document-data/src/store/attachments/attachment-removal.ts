import type { Connection } from '../sqlite/connections'
import type { DocumentWriter } from '../document'
import type { DocumentAccess } from '../document-access'
import type { Author, LogValue } from '../log/log'
import { retireRef } from '../schema/refs'
import { releaseContents } from './file-contents'
import { ATTACHMENTS, describeColumns } from './attachments'
import { AttachmentUse } from './attachment-use'

/** Attachments that one transaction looks at. */
const ROWS_AT_ONCE = 500
/** Milliseconds for which an unused file is kept. */
const EXPIRY_SECONDS = 7 * 24 * 3600

/** A sweep of the attachments of a document, and its author. */
export interface Sweep {
  readonly docId: string
  readonly author: Author
  readonly signal: AbortSignal
}

/**
 * Records since when no cell refers to each attachment, or that one refers to it again; returns the number of
 * changes.
 * @param sparedMs attachments uploaded less than this long ago are not recorded as unused
 */
export function updateUsed(access: DocumentAccess, sweep: Sweep, sparedMs = 0): Promise<number> {
  const { docId, signal } = sweep
  let changed = 0
  return AttachmentUse.with({ access, docId, signal }, async (use) => {
    const notYet = Date.now() - sparedMs
    await inSteps(access, sweep, {
      find: 'timeUploaded <= ? OR timeDeleted IS NOT NULL',
      params: [notYet],
      isWanted: ({ id, timeDeleted }) => use.has(id) !== (timeDeleted === null),
      run: (doc, rows) => {
        use.catchUp(doc)
        const wrong = rows.filter(({ id, timeDeleted }) => use.has(id) !== (timeDeleted === null))
        mark(doc, wrong)
        changed += wrong.length
      },
    })
    return changed
  })
}

/**
 * Removes the attachments that no cell refers to, and their bytes unless shared with others; returns their
 * number. Each step is a write of its own.
 */
export async function removeUnused(
  access: DocumentAccess,
  sweep: Sweep,
  { expiredOnly }: { readonly expiredOnly: boolean },
): Promise<number> {
  await updateUsed(access, sweep)
  const { docId, signal } = sweep
  let removed = 0
  return AttachmentUse.with({ access, docId, signal }, async (use) => {
    const before = Math.floor(Date.now() / 1000) - (expiredOnly ? EXPIRY_SECONDS : 0)
    await inSteps(access, sweep, {
      find: 'timeDeleted <= ?',
      params: [before],
      isWanted: () => true,
      run: (doc, rows) => {
        use.catchUp(doc)
        const unused = rows.filter(({ id }) => !use.has(id))
        removeAttachments(
          doc,
          unused.map(({ id }) => id),
        )
        removed += unused.length
      },
    })
    return removed
  })
}

interface Row {
  readonly id: number
  readonly timeDeleted: number | null
}

interface Step {
  /** Condition for candidate rows. */
  readonly find: string
  readonly params: readonly number[]
  /** True when a row seems to be affected; checked outside a transaction. */
  readonly isWanted: (row: Row) => boolean
  /** Processes such rows, in their present state, within a transaction. */
  readonly run: (doc: DocumentWriter, rows: readonly Row[]) => void
}

async function inSteps(access: DocumentAccess, sweep: Sweep, step: Step): Promise<void> {
  const { docId, author, signal } = sweep
  const select = `SELECT id, timeDeleted FROM _grist_Attachments WHERE (${step.find})`
  let after = 0
  for (;;) {
    const found = access.read<Row[]>(docId, ({ connection }) => {
      const sql = `${select} AND id > ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`
      return connection.prepare<Row>(sql).all(...step.params, after)
    })
    const wanted = found.filter(step.isWanted)
    if (wanted.length > 0) {
      const ids = JSON.stringify(wanted.map(({ id }) => id))
      await access.transact<void>(
        docId,
        author,
        (doc) => {
          const sql = `${select} AND id IN (SELECT value FROM json_each(?))`
          step.run(doc, doc.connection.prepare<Row>(sql).all(...step.params, ids))
        },
        signal,
      )
    }
    if (found.length < ROWS_AT_ONCE) return
    after = found.at(-1)?.id ?? after
  }
}

/** Toggles the recorded state of these rows. */
function mark(doc: DocumentWriter, rows: readonly Row[]): void {
  if (rows.length === 0) return
  const now = Math.floor(Date.now() / 1000)
  const marked = rows.map(({ timeDeleted }) => (timeDeleted === null ? now : null))
  const update = doc.connection.prepare(
    'UPDATE _grist_Attachments SET timeDeleted = ? WHERE id = ?',
  )
  rows.forEach(({ id }, index) => update.run(marked[index] ?? null, id))
  const old = rows.map(({ timeDeleted }) => timeDeleted)
  doc.record({
    kind: 'update_rows',
    table: ATTACHMENTS,
    tableRef: 0,
    rowIds: rows.map(({ id }) => id),
    columns: describeColumns(() => ({ old, new: marked })).filter(({ id }) => id === 'timeDeleted'),
  })
}

/** Removes attachments, and their bytes where no other has them. */
export function removeAttachments(doc: DocumentWriter, ids: readonly number[]): void {
  if (ids.length === 0) return
  const { connection } = doc
  const json = JSON.stringify(ids)
  const rows = connection
    .prepare<Record<string, LogValue>>(
      `SELECT * FROM _grist_Attachments WHERE id IN (${LISTED}) ORDER BY id`,
    )
    .all(json)
  if (rows.length === 0) return
  eraseAttachments(
    doc,
    rows.map(({ id }) => Number(id)),
  )
  doc.record({
    kind: 'remove_rows',
    table: ATTACHMENTS,
    tableRef: 0,
    rowIds: rows.map(({ id }) => Number(id)),
    columns: describeColumns((name) => ({ old: rows.map((row) => row[name] ?? null) })),
  })
}

/** Removes the rows of attachments, and releases their contents. Not recorded. */
export function eraseAttachments({ connection }: DocumentWriter, ids: readonly number[]): void {
  const json = JSON.stringify(ids)
  const fileIds = connection
    .pluck<number>(`SELECT DISTINCT file_id FROM _sheaf_attachments WHERE id IN (${LISTED})`)
    .all(json)
  // A cache or client that still holds such an id must not refer to another file.
  retireRef(connection, 'attachment', Math.max(...ids))
  deleteRows(connection, '_grist_Attachments', json)
  deleteRows(connection, '_sheaf_attachments', json)
  releaseContents(connection, fileIds)
}

const LISTED = 'SELECT value FROM json_each(?)'

function deleteRows(connection: Connection, table: string, ids: string): void {
  connection.prepare(`DELETE FROM ${table} WHERE id IN (${LISTED})`).run(ids)
}
