import type { NeededRole } from '@sheaf/auth/roles'
import type { z } from 'zod'
import type { Exchange, RouteTraits } from '../http/exchange'
import type { DocumentSession } from './document-session'

/**
 * Who may use a route: `open`, everybody, without resolving the caller; `caller`, everybody, and directory
 * decides what they see; `form`, everybody, with the document of the form that `formKey` names, whatever credential the
 * request presents; a role, callers who have it on the document that `docId` names.
 */
export type RouteAccess = 'open' | 'caller' | 'form' | NeededRole

/** The successful response of a route. */
export interface Success {
  readonly description: string
  readonly schema?: z.ZodType
  /** `application/json` by default. */
  readonly mediaType?: string
  /** Media types available through the Accept header. */
  readonly otherMediaTypes?: readonly string[]
  /** Response headers that do not follow from the other properties of the route. */
  readonly headers?: z.ZodObject
}

/** The input of a handler, validated by the schemas of its route. */
export interface Input<P = unknown, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The raw body of routes that pass it on unparsed; else empty. */
  readonly bytes: Buffer
  /** The document of the path; throws unless the route requires a role or a form. */
  readonly document: DocumentSession
}

/**
 * One row of the table of routes. The router and the OpenAPI document are both generated from it, so every
 * route is described.
 */
export interface Route extends RouteTraits {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete'
  /**
   * Another path of the route, with the same parameters, for clients of the Grist API. The API description omits
   * it, because by the rules of OpenAPI it is ambiguous with a path of another route.
   */
  readonly alias?: string
  /** `operationId` of the API description. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** True for routes that new clients should not use. */
  readonly deprecated?: boolean
  readonly access: RouteAccess
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Request headers, for the API description. */
  readonly headers?: z.ZodObject
  /** Whether it reads or writes a document through conditional-requests.ts, for the API description. */
  readonly conditions?: 'read' | 'write'
  /** True when it can read a former moment although it has no `conditions`. */
  readonly readsPast?: boolean
  /** True when the response may be a page of rows with a cursor, for the API description. */
  readonly hasPages?: boolean
  /** True when the response names columns whose cells are not all computed, for the API description. */
  readonly namesPending?: boolean
  /** Schema of a JSON body. */
  readonly body?: z.ZodType
  /** Limit of the JSON body in bytes, where it is lower than that of the operator. */
  readonly maxBodyBytes?: number
  /** Schema of a form body, for the API description: the handler reads it as a stream. */
  readonly form?: z.ZodObject
  /** True to describe the body only and pass its bytes on: document-data validates it. */
  readonly passesBytes?: boolean
  /** True when the handler refuses numbers beyond the range of a double, with errors of its own form. */
  readonly checksNumbers?: boolean
  readonly success: Success
  /**
   * Statuses of this route that do not follow from its other properties, with their descriptions, for the API
   * description.
   */
  readonly statuses?: Readonly<Record<number, string>>
  readonly handle: (exchange: Exchange, input: Input) => Promise<void>
}

/** Whether a route can be tried without keeping anything: all writes of a document but uploads. */
export function hasDryRun({ conditions, form }: Pick<Route, 'conditions' | 'form'>): boolean {
  return conditions === 'write' && form === undefined
}

/** Whether a route can show the document as it was at a former moment. */
export function hasAsOf({
  conditions,
  readsPast,
}: Pick<Route, 'conditions' | 'readsPast'>): boolean {
  return conditions === 'read' || readsPast === true
}

/** Returns every path of a route. */
export function pathsOf({ path, alias }: Pick<Route, 'path' | 'alias'>): string[] {
  return alias === undefined ? [path] : [path, alias]
}

type Output<S> = S extends z.ZodType ? z.output<S> : undefined
type Spec<P, Q, B> = Omit<Route, 'params' | 'query' | 'body' | 'handle'> & {
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly handle: (
    exchange: Exchange,
    input: Input<Output<P>, Output<Q>, Output<B>>,
  ) => Promise<void>
}

/** Defines a route; the types of its schemas are those of its handler's input. */
export function defineRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: Spec<P, Q, B>): Route {
  // The schemas that define the types are the ones that validate the values.
  return { ...spec, handle: spec.handle as Route['handle'] }
}
