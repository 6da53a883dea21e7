import { queryOptions } from '@tanstack/react-query'
import { sheaf } from '../api/sheaf'

/** A JSON schema, limited to the keywords that the reference shows. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly example?: unknown
}

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: Schema
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

/** An operation of the API. */
export interface Operation {
  readonly operationId: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

/** A response of an operation, or a reference to one that operations share. */
export interface Response {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
}

/** An OpenAPI document, limited to the parts that the reference shows. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>
    readonly responses?: Readonly<Record<string, Response>>
  }
}

/** An operation with its method and path. */
export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The OpenAPI document of Sheaf. It changes only with new releases. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  queryFn: ({ signal }) =>
    sheaf().request<OpenApi>({ method: 'GET', path: '/api/openapi.json' }, { signal }),
  staleTime: Infinity,
})

const methods = ['get', 'post', 'patch', 'put', 'delete']

/** Returns all endpoints, in the order of the document. */
export function listEndpoints({ paths, components }: OpenApi): Endpoint[] {
  const shared = components?.responses ?? {}
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      if (!operation) return []
      const responses = Object.entries(operation.responses).map(([status, response]) => [
        status,
        response.$ref === undefined ? response : shared[nameOf(response.$ref)],
      ])
      const resolved = Object.fromEntries(responses) as Operation['responses']
      return [{ method, path, operation: { ...operation, responses: resolved } }]
    }),
  )
}

/** Describes the type of a schema. */
export function describeType(schema: Schema | undefined): string {
  if (!schema) return ''
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf
  if (parts) return [...new Set(parts.map(describeType))].join(' or ')
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.items) return `list of ${describeType(schema.items)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** Returns the schema name of a reference. */
export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1)

/** Returns true if an endpoint contains all words of a search. */
export function matches({ method, path, operation }: Endpoint, search: string): boolean {
  const { operationId, summary = '', tags = [] } = operation
  const text = [method, path, operationId, summary, ...tags].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
