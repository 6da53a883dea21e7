import type { ServerCall } from '@sheaf/auth/server-call'
import type { ReadOptions } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Context } from '../context'
import type { PlanExport } from '../store/documents/read-export'
import { readerOf } from './document-call'
import { isKnown, tagOf } from './document-options'

/** A read of a document as JSON bytes. */
interface JsonAnswer {
  readonly bodyJson?: Buffer
  readonly seq: number
  readonly etag: string
  readonly notModified?: boolean
}

/** Reads an export that is one JSON text, unless the caller knows the present state of the document. */
export async function readJsonExport(
  ctx: Context,
  call: ServerCall,
  { docId, options }: { readonly docId: string; readonly options?: ReadOptions },
  plan: PlanExport,
): Promise<JsonAnswer> {
  const current = ctx.documents.stateOf(docId)
  if (options && isKnown(options, current))
    return { seq: current.seq, etag: tagOf(current), notModified: true }
  const { seq, chunks } = await ctx.documents.readExport(docId, plan, readerOf(call))
  const parts: Buffer[] = []
  for await (const part of chunks) parts.push(part)
  return { bodyJson: Buffer.concat(parts), seq, etag: tagOf({ ...current, seq }) }
}
