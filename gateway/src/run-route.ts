import type { Request, RequestHandler } from 'express'
import { authenticate } from './middleware/authenticate'
import { parseJson, readJsonBytes } from './body'
import { DocumentSession } from './document-session'
import type { Exchange, SheafResponse } from './exchange'
import { invalidParameter, invalidPayload } from './invalid-payload'
import { parseQuery } from './query'
import type { Route } from './route'

const NO_BYTES = Buffer.alloc(0)

/**
 * Turns a row of the table of routes into what Express calls. The order is the promise: who calls, what they may do,
 * and only then what they send.
 */
export function createRouteHandler(route: Route): RequestHandler {
  return async (request, response) => {
    const { exchange } = (response as SheafResponse).locals
    exchange.begin(route)
    const document = await admit(route, exchange, request.params)
    const params = checkParameters(route.params, request.params)
    const query = checkParameters(route.query, route.query && parseQuery(request.url))
    const { bytes, body } = await receive(route, exchange, document)
    await route.handle(exchange, {
      params,
      query,
      body,
      bytes,
      get document() {
        if (!document) throw new Error(`${route.id} is not about a document`)
        return document
      },
    })
  }
}

async function receive(route: Route, exchange: Exchange, document?: DocumentSession) {
  if (!route.body) return { bytes: NO_BYTES, body: undefined }
  const bytes = await readJsonBytes(exchange)
  await document?.refresh()
  return { bytes, body: route.passesBytes ? undefined : checkBody(route.body, bytes) }
}

async function admit(
  { access }: Route,
  exchange: Exchange,
  { docId }: Request['params'],
): Promise<DocumentSession | undefined> {
  if (access === 'open') return undefined
  authenticate(exchange)
  if (access !== 'caller') return DocumentSession.open(exchange, String(docId), access)
  await exchange.authorize('')
  return undefined
}

function checkParameters(schema: Route['params'], values: unknown): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(values)
  if (result.success) return result.data
  throw invalidParameter(result.error, values)
}

function checkBody(schema: NonNullable<Route['body']>, bytes: Buffer): unknown {
  const body = parseJson(bytes)
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw invalidPayload(result.error, body)
}
