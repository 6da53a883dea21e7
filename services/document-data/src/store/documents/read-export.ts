import { exportParts, type ExportPlan } from '../exports/export-parts'
import { callEnded, type ReadLimits } from '../reads/record-chunks'
import type { Schema } from '../schema/schema'
import type { OpenDocument } from './open-document'
import { readHere, readInThread, type RecordsReply } from './record-reads'

/** A snapshot that shows another form of the document than was planned for is taken again so many times. */
const ATTEMPTS = 3

/** Plans an export of a document that has this form. */
export type PlanExport = (schema: Schema) => ExportPlan

/**
 * Reads tables in the form that the plan says, all from one moment: in a thread, or piece by piece between other work when
 * there is none. Throws what `plan` throws.
 */
export async function readExport(
  doc: OpenDocument,
  plan: PlanExport,
  limits: ReadLimits,
): Promise<RecordsReply> {
  await doc.pool.admit()
  for (let attempt = 1; ; attempt++) {
    doc.requireOpen()
    if (limits.signal?.aborted) throw callEnded()
    const { schema } = doc.state
    const planned = plan(schema)
    const read = attempt <= ATTEMPTS ? readInThread(doc, planned, limits) : undefined
    if (!read) return readHere(doc, (connection) => exportParts(connection, planned), limits)
    const begun = await read.begun
    // The thread took its snapshot by itself, perhaps of another form; where the log stands is exact in any case.
    if (schema === doc.state.schema) return { seq: begun, chunks: read.chunks() }
    read.fail(callEnded())
  }
}
