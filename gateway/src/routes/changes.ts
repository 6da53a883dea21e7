import { z } from 'zod'
import { sendChanges } from '../documents/change-feed'
import { streamChanges } from '../documents/change-stream'
import type { Exchange } from '../http/exchange'
import { toParameterError } from '../http/validation-errors'
import { preferredMediaType } from '../http/content-negotiation'
import { defineRoute, type Route } from '../routing/route'
import { changesList, changesQuery, sinceText } from '../schemas/changes'
import { docParams } from '../schemas/parameters'

const LINES = 'application/x-ndjson'
const EVENTS = 'text/event-stream'
const offered = ['application/json', LINES, EVENTS]

const eventHeaders = z.object({
  'last-event-id': sinceText.optional().meta({
    type: 'integer',
    description:
      'With server-sent events: `seq` of the last change that was seen; goes before `since`',
  }),
})

/** The change feed of a document. */
export const changeRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/changes',
    id: 'listChanges',
    tag: 'changes',
    summary: 'List changes of a document, or follow them as they are made',
    description:
      'As server-sent events (`Accept: text/event-stream`) the answer does not end: it goes on with each change as it is made.',
    access: 'viewers',
    params: docParams,
    query: changesQuery,
    headers: eventHeaders,
    streams: true,
    success: {
      description: 'The changes in order',
      schema: changesList,
      otherMediaTypes: [LINES, EVENTS],
    },
    async handle(exchange, { document, query: { since, limit } }) {
      const { request } = exchange
      const form = preferredMediaType(request, offered)
      if (form === EVENTS && request.method !== 'HEAD')
        return streamChanges(exchange, document, lastEventId(exchange) ?? since)
      const as = form === LINES ? 'lines' : 'json'
      return sendChanges(exchange, document, { afterSeq: since, limit }, as)
    },
  }),
]

/** The last event that the client received before its connection broke. */
function lastEventId({ request: { headers } }: Exchange): number | undefined {
  const given = { 'last-event-id': headers['last-event-id'] || undefined }
  const result = eventHeaders.safeParse(given)
  if (!result.success) throw toParameterError(result.error, given)
  return result.data['last-event-id']
}
