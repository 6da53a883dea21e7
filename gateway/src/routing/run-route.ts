import { parseJson, readJsonBytes } from '../http/body'
import type { Exchange } from '../http/exchange'
import { invalidParameter, invalidPayload } from '../http/validation-errors'
import { parseQuery } from '../http/query'
import { DocumentSession } from './document-session'
import { authenticate } from './authenticate'
import type { Input, Route } from './route'

const NO_BYTES = Buffer.alloc(0)

/** Parameters as they stand in a path, decoded. */
export type PathParams = Readonly<Record<string, unknown>>

/** Answers a request that a route has matched. */
export type RouteHandler = (exchange: Exchange, params: PathParams) => Promise<void>

/**
 * Turns a row of the table of routes into what answers its requests. The order is the promise: who calls, what they may do,
 * and only then what they send.
 */
export function createRouteHandler(route: Route): RouteHandler {
  return async (exchange, found) => {
    exchange.begin(route)
    const document = await admit(route, exchange, found)
    const params = checkParameters(route.params, found)
    const query = checkParameters(
      route.query,
      route.query && parseQuery(exchange.request.url ?? ''),
    )
    const { bytes, body } = await receive(route, exchange, document)
    await route.handle(exchange, new Received(route.id, { params, query, body, bytes }, document))
  }
}

/** Not an object literal with a getter: each would have a hidden class of its own, which keeps all that the getter sees in old space. */
class Received implements Input {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly bytes: Buffer

  constructor(
    private readonly routeId: string,
    { params, query, body, bytes }: Omit<Input, 'document'>,
    private readonly found: DocumentSession | undefined,
  ) {
    this.params = params
    this.query = query
    this.body = body
    this.bytes = bytes
  }

  get document(): DocumentSession {
    if (!this.found) throw new Error(`${this.routeId} is not about a document`)
    return this.found
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
  { docId }: PathParams,
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
