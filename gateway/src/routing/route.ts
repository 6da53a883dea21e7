import type { NeededRole } from '@sheaf/auth/roles'
import type { z } from 'zod'
import type { Exchange, RouteTraits } from '../http/exchange'
import type { DocumentSession } from './document-session'

/**
 * Who may use a route: `open`, everybody without being asked; `caller`, everybody, and directory decides what they see;
 * a role, those who have it on the document that `docId` names.
 */
export type RouteAccess = 'open' | 'caller' | NeededRole

/** What a route answers when all goes well. */
export interface Success {
  readonly description: string
  readonly schema?: z.ZodType
  /** `application/json` unless given. */
  readonly mediaType?: string
  /** Media types that a request can ask for instead. */
  readonly otherMediaTypes?: readonly string[]
}

/** What a handler gets, checked against the schemas of its route. */
export interface Input<P = unknown, Q = unknown, B = unknown> {
  readonly params: P
  readonly query: Q
  readonly body: B
  /** The body as it came, for routes that pass it on unparsed; else empty. */
  readonly bytes: Buffer
  /** The document that the path names; throws unless the route asks for a role. */
  readonly document: DocumentSession
}

/**
 * One row of the table of routes. Both the router and the OpenAPI document are made from it, so there is no route
 * without its description.
 */
export interface Route extends RouteTraits {
  readonly method: 'get' | 'post' | 'patch' | 'put' | 'delete'
  /** `operationId` of the description. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** True for what new clients should not use. */
  readonly deprecated?: boolean
  readonly access: RouteAccess
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  /** Headers that act on the request, for the description. */
  readonly headers?: z.ZodObject
  /** Whether it reads or writes a document through document-options.ts, for the description. */
  readonly conditions?: 'read' | 'write'
  /** True when the answer can be a page of rows that tells of the next one, for the description. */
  readonly hasPages?: boolean
  /** Schema of a JSON body. */
  readonly body?: z.ZodType
  /** Schema of a body that is a form, for the description: the handler reads it as it arrives. */
  readonly form?: z.ZodObject
  /** True to describe the body only and pass its bytes on: document-data checks it. */
  readonly passesBytes?: boolean
  readonly success: Success
  readonly handle: (exchange: Exchange, input: Input) => Promise<void>
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

/** Writes down a route; the input of its handler has the types of its schemas. */
export function defineRoute<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(spec: Spec<P, Q, B>): Route {
  // The schemas that make the types are the ones that check the values.
  return { ...spec, handle: spec.handle as Route['handle'] }
}
