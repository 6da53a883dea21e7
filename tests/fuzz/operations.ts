import type { Rest } from '@sheaf/testkit/rest'

/** The subset of JSON schema that requests are generated from. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required?: boolean
  readonly schema?: Schema
}

/** One operation of the server's OpenAPI description. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** Schema of a JSON body; undefined when there is none. */
  readonly body?: Schema
}

/** The operations to test, and the schemas that they refer to. */
export interface Operations {
  readonly operations: readonly Operation[]
  readonly schemas: Readonly<Record<string, Schema>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

interface RawOperation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
  }
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Reads the OpenAPI description of the selected paths. */
export async function readOperations(
  rest: Rest,
  isWanted: (path: string) => boolean,
): Promise<Operations> {
  const { body } = await rest.get<OpenApi>('/api/openapi.json')
  const operations = Object.entries(body.paths)
    .filter(([path]) => isWanted(path))
    .flatMap(([path, item]) =>
      methods
        .filter((method) => method in item)
        .map((method) => toOperation(method, path, item[method] ?? {})),
    )
  return { operations, schemas: body.components?.schemas ?? {} }
}

function toOperation(
  method: string,
  path: string,
  { parameters = [], requestBody }: RawOperation,
): Operation {
  const body = requestBody?.content?.['application/json']?.schema
  return { method: method.toUpperCase(), path, parameters, body }
}
