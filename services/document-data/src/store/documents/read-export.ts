import { exportParts, type ExportPlan } from '../exports/export-parts'
import type { ReadLimits } from '../reads/record-chunks'
import type { Connection } from '../sqlite/connections'
import type { Schema } from '../schema/schema'
import { readLong, type ChunkedReply } from './long-read'
import type { OpenDocument } from './open-document'

/** Plans an export of a document with this schema. */
export type PlanExport = (schema: Schema) => ExportPlan

/** Reads tables in the form that the plan describes, all from one moment. Throws what `plan` throws. */
export function readExport(
  doc: OpenDocument,
  plan: PlanExport,
  limits: ReadLimits,
): Promise<ChunkedReply> {
  return readLong(doc, limits, () => {
    const { schema } = doc.state
    const planned = plan(schema)
    const parts = (connection: Connection) => exportParts(connection, planned)
    return { inThread: planned, parts, schema }
  })
}
