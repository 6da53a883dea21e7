import type { Exchange } from '../http/exchange'
import { toDocument } from '../schemas/documents'
import { toCachedJson } from './cached-json'

/** Which document a caller asks about. */
interface DescriptionQuestion {
  /** Document as the path names it. */
  readonly document: string
  /** Whether it may be in the trash. */
  readonly removed: boolean | undefined
}

/**
 * Resolves to the JSON of a document with its workspace and site as the caller sees them. It is cached beneath the
 * access lease, as decisions are: directory announces changes of what it shows before it acknowledges them. The last
 * change of the contents is not announced, so the cache bounds the age of descriptions. Throws as
 * DocumentsService.getDocument.
 */
export function describeDocument(
  exchange: Exchange,
  { document, removed }: DescriptionQuestion,
): Promise<Buffer> {
  const { context, site } = exchange
  const call = exchange.call()
  // The token stands for the caller with the scope of their key, and is new whenever they are resolved anew.
  const key = `${call.token}|${removed === true}|${site}|${document}`
  return context.descriptions.get(key, async () => {
    const request = { document, site, removed }
    const found = await context.directory.documents.getDocument(request, call)
    return toCachedJson(toDocument(found))
  })
}

/**
 * As `describeDocument`, with the caller's preferences in the document, which are read anew. Throws as
 * DocumentsService.getDocumentPreferences, too.
 */
export async function describeWithPreferences(
  exchange: Exchange,
  question: DescriptionQuestion,
): Promise<Buffer> {
  const { context, site } = exchange
  const request = { document: question.document, site }
  const [described, { preferencesJson }] = await Promise.all([
    describeDocument(exchange, question),
    context.directory.documents.getDocumentPreferences(request, exchange.call()),
  ])
  // Both are JSON objects, the description one with members.
  const open = described.subarray(0, -1)
  return Buffer.concat([open, Buffer.from(',"preferences":'), preferencesJson, Buffer.from('}')])
}
