import { z } from 'zod'
import { sendChanges } from '../documents/change-feed'
import { streamChanges } from '../documents/change-stream'
import type { Exchange } from '../http/exchange'
import { toParameterError } from '../http/validation-errors'
import { preferredMediaType } from '../http/content-negotiation'
import { defineRoute, type Route } from '../routing/route'
import { changesList, changesQuery, sinceText } from '../schemas/changes'
import { docParams } from '../schemas/parameters'
import { presenceRoutes } from './presence'

const LINES = 'application/x-ndjson'
const EVENTS = 'text/event-stream'
const offered = ['application/json', LINES, EVENTS]

const eventHeaders = z.object({
  'last-event-id': sinceText.optional().meta({
    type: 'integer',
    description:
      '`seq` of the last event received. Server-sent events only; takes precedence over `since`.',
  }),
})

const responseHeaders = z.object({
  ETag: z.string().meta({
    description:
      'Version of the document when the response began, `W/"<epoch>.<seq>"` with a suffix for each format and role. Another epoch than before means another log, in which the same `since` is another change.',
  }),
})

/** The change log of a document, and who has it open. */
export const changeRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/changes',
    id: 'listChanges',
    tag: 'changes',
    summary: 'List or stream changes',
    description:
      'Returns the changes after position `since` in log order. With `Accept: text/event-stream` the response is a stream of server-sent events: it begins with the changes after `since` and continues with new changes as they are committed. Below editor, names and values are those of now, and `old` is absent.',
    access: 'viewers',
    params: docParams,
    query: changesQuery,
    headers: eventHeaders,
    streams: true,
    success: {
      description: 'Changes in log order',
      schema: changesList,
      otherMediaTypes: [LINES, EVENTS],
      headers: responseHeaders,
    },
    statuses: { 409: 'The change log does not reach back to `since`.' },
    async handle(exchange, { document, query: { since, limit, session } }) {
      const { request } = exchange
      const form = preferredMediaType(request, offered)
      if (form === EVENTS && request.method !== 'HEAD')
        return streamChanges(exchange, document, {
          since: lastEventId(exchange) ?? since,
          // Anonymous callers neither appear nor see who is there.
          sessionId: exchange.credential && session,
        })
      const as = form === LINES ? 'lines' : 'json'
      return sendChanges(exchange, document, { afterSeq: since, limit }, as)
    },
  }),
  ...presenceRoutes,
]

/** Position of the last event that the client received before it reconnected. */
function lastEventId({ request: { headers } }: Exchange): number | undefined {
  const given = { 'last-event-id': headers['last-event-id'] || undefined }
  const result = eventHeaders.safeParse(given)
  if (!result.success) throw toParameterError(result.error, given)
  return result.data['last-event-id']
}
