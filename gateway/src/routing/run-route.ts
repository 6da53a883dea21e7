import { PAST_AND_CAPS } from '@sheaf/auth/require-protocol'
import type { AppError } from '@sheaf/kit/errors'
import { AS_OF, mayHaveAsOf, readAsOf } from '../http/as-of'
import { parseJson, readJsonBytes } from '../http/body'
import { DRY_RUN, readDryRun } from '../http/dry-run'
import type { Exchange } from '../http/exchange'
import { prefersStrict, strictApplied } from '../http/preferences'
import {
  requireKeptInput,
  requireKnownParameters,
  requireKnownProperties,
} from '../http/strict-input'
import { toParameterError, toPayloadError } from '../http/validation-errors'
import { parseQuery } from '../http/query'
import { DocumentSession } from './document-session'
import { authenticate, rejectForgery } from './authenticate'
import { hasAsOf, hasDryRun, type Input, type Route } from './route'

const NO_BYTES = Buffer.alloc(0)

/** Decoded path parameters. */
export type PathParams = Readonly<Record<string, unknown>>

/** Responds to a request that matched a route. */
export type RouteHandler = (exchange: Exchange, params: PathParams) => Promise<void>

/**
 * Converts a row of the table of routes to a handler. The order is part of the contract: authentication,
 * authorization, and only then the input.
 */
export function createRouteHandler(route: Route): RouteHandler {
  return async (exchange, found) => {
    exchange.begin(route)
    const isStrict = prefersStrict(exchange.request)
    if (isStrict) exchange.headers.push(...strictApplied)
    const document = await admit(route, exchange, found)
    const params = checkParameters(route.params, found)
    const isWrite = route.method !== 'get'
    const { url = '' } = exchange.request
    const maybePast = mayHaveAsOf(url)
    const isParsed = isStrict || isWrite || maybePast || route.query !== undefined
    const given = isParsed ? parseQuery(url) : undefined
    if (given && maybePast) exchange.asOf = readAsOf(given, hasAsOf(route))
    if (isWrite && given) exchange.isDryRun = readDryRun(given, hasDryRun(route))
    exchange.neededProtocol = protocolFor(exchange, route)
    if (isStrict) requireKnownParameters(parametersOf(route), given)
    const query = checkParameters(route.query, given)
    const { bytes, body } = await receive(route, { exchange, document, isStrict })
    exchange.isHandled = true
    await route.handle(
      exchange,
      new RequestInput(route.id, { params, query, body, bytes }, document),
    )
  }
}

/** What the instance of the document must understand, so that it ignores no part of a request. */
function protocolFor({ asOf, isDryRun, request }: Exchange, { method }: Route): number {
  const isStrictWrite = method !== 'get' && prefersStrict(request)
  return asOf || isDryRun || isStrictWrite ? PAST_AND_CAPS : 0
}

function parametersOf(route: Route): string[] {
  const own = Object.keys(route.query?.shape ?? {})
  return [...own, ...(hasDryRun(route) ? [DRY_RUN] : []), ...(hasAsOf(route) ? [AS_OF] : [])]
}

/**
 * Not an object literal with a getter: each would have its own hidden class, which retains everything that
 * the getter captures in old space.
 */
class RequestInput implements Input {
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
    if (!this.found) throw new Error(`${this.routeId} has no document`)
    return this.found
  }
}

interface Receiving {
  readonly exchange: Exchange
  readonly document: DocumentSession | undefined
  readonly isStrict: boolean
}

async function receive(route: Route, { exchange, document, isStrict }: Receiving) {
  const { body: schema, passesBytes, maxBodyBytes } = route
  if (!schema) return { bytes: NO_BYTES, body: undefined }
  const { bytes, fault } = await readJsonBytes(exchange, maxBodyBytes)
  if (fault) throw toMediaTypeError(schema, fault)
  await document?.refresh()
  if (isStrict) requireKnownProperties(schema, parseJson(bytes))
  return { bytes, body: passesBytes ? undefined : checkBody(route, schema, bytes) }
}

/**
 * The error for a body that is not declared as JSON. Clients of the interface expect such a body to count as
 * `{}`: where the schema rejects that, the status remains 400.
 */
function toMediaTypeError(schema: NonNullable<Route['body']>, fault: AppError): AppError {
  const result = schema.safeParse({})
  return result.success ? fault : toPayloadError(result.error, {}, fault.message)
}

async function admit(
  { access }: Route,
  exchange: Exchange,
  { docId, formKey }: PathParams,
): Promise<DocumentSession | undefined> {
  if (access === 'open') return undefined
  if (access === 'form') {
    rejectForgery(exchange.request)
    exchange.credential = { kind: 'formKey', secret: String(formKey) }
    return DocumentSession.open(exchange, '', access)
  }
  authenticate(exchange)
  if (access !== 'caller') return DocumentSession.open(exchange, String(docId), access)
  await exchange.authorize('')
  return undefined
}

function checkParameters(schema: Route['params'], values: unknown): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(values)
  if (result.success) return result.data
  throw toParameterError(result.error, values)
}

function checkBody(
  { checksNumbers = false }: Route,
  schema: NonNullable<Route['body']>,
  bytes: Buffer,
): unknown {
  const body = parseJson(bytes)
  requireKeptInput(body, { numbers: checksNumbers })
  const result = schema.safeParse(body)
  if (result.success) return result.data
  throw toPayloadError(result.error, body)
}
