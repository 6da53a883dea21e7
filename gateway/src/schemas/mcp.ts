import { z } from 'zod'

/** A message of the Model Context Protocol; the library validates the rest. */
export const mcpMessage = z
  .looseObject({
    jsonrpc: z.literal('2.0').describe('Version of JSON-RPC'),
    id: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Id of the request; absent for a notification'),
    method: z.string().meta({ description: 'Method', example: 'tools/list' }),
    params: z.looseObject({}).optional().describe('Parameters of the method'),
  })
  .meta({ id: 'McpMessage', description: 'Request or notification of JSON-RPC 2.0' })

/** The answer to a request. */
export const mcpAnswer = z
  .looseObject({
    jsonrpc: z.literal('2.0').describe('Version of JSON-RPC'),
    id: z.union([z.string(), z.number()]).nullable().describe('Id of the request'),
  })
  .meta({ id: 'McpAnswer', description: 'Response of JSON-RPC 2.0: `result` or `error`' })

/** Metadata of a protected resource, by RFC 9728. */
export const resourceMetadata = z
  .object({
    resource: z.string().describe('The resource: the audience that access tokens must have'),
    authorization_servers: z.array(z.string()).describe('Issuer of the identity provider'),
    bearer_methods_supported: z.array(z.string()).describe('How tokens are sent: `header`'),
    scopes_supported: z.array(z.string()).describe('Scopes to request'),
    resource_name: z.string().describe('Name of the resource'),
  })
  .meta({ id: 'ProtectedResource', description: 'Metadata of a protected resource (RFC 9728)' })
