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
 * access lease, as decisions are: everything that it shows is changed by directory alone, which announces such changes
 * before it acknowledges them. Throws as DocumentsService.getDocument.
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
