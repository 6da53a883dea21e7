import { AppError } from '@sheaf/kit/errors'
import { sendBytes, sendHead, sendJson } from '../http/reply'
import { answerMessage } from '../mcp/server'
import { defineRoute, type Route } from '../routing/route'
import { mcpAnswer, mcpMessage, resourceMetadata } from '../schemas/mcp'
import type { Exchange } from '../http/exchange'
import { METADATA_PATH, RESOURCE_PATH } from '../sign-in/protected-resource'
import { notOffered } from '../sign-in/sign-in'

/** By RFC 9728 the path of the metadata contains that of the resource; some clients look only for the part before it. */
const metadata = {
  method: 'get',
  tag: 'about',
  description:
    'Metadata of `POST /mcp` as a protected resource (RFC 9728), by which clients find the identity provider. Both paths return the same.',
  access: 'open',
  success: { description: 'Metadata', schema: resourceMetadata },
  statuses: { 404: 'There is no identity provider: only API keys are accepted.' },
  handle(exchange: Exchange) {
    const { resource } = exchange.context.signIn
    if (!resource) throw notOffered()
    sendJson(exchange, resource.metadata)
    return Promise.resolve()
  },
} as const

/** The Model Context Protocol, for agents. */
export const mcpRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: RESOURCE_PATH,
    id: 'answerMcpMessage',
    tag: 'about',
    summary: 'Call a tool as an agent (MCP)',
    description:
      'Model Context Protocol over Streamable HTTP, versions 2026-07-28 and 2025-11-25, without sessions: each request has one message and is answered with JSON. Requires a key, or an access token of the identity provider if there is one. Errors of tools are results with `isError`.',
    access: 'caller',
    takesAccessTokens: true,
    body: mcpMessage,
    checksNumbers: true,
    noStore: true,
    success: { description: 'Response to the message', schema: mcpAnswer },
    statuses: {
      202: 'The message was a notification. The response has no body.',
      404: 'There is no such method.',
    },
    async handle(exchange, { body }) {
      if (!exchange.credential)
        throw new AppError('unauthenticated', 'SIGN_IN_NEEDED', 'this call requires an API key')
      const answer = await answerMessage(exchange, body)
      const bytes = Buffer.from(await answer.arrayBuffer())
      const { status } = answer
      if (bytes.length > 0) return sendBytes(exchange, bytes, { status })
      sendHead(exchange, { status, length: 0 })
      exchange.response.end()
    },
  }),
  defineRoute({
    ...metadata,
    path: METADATA_PATH + RESOURCE_PATH,
    id: 'getMcpResource',
    summary: 'Get the OAuth metadata of the tools for agents',
  }),
  defineRoute({
    ...metadata,
    path: METADATA_PATH,
    id: 'getResource',
    summary: 'Get the OAuth metadata of the tools for agents at the root',
  }),
]
