import { AppError } from '@sheaf/kit/errors'
import { sendBytes, sendHead } from '../http/reply'
import { answerMessage } from '../mcp/server'
import { defineRoute, type Route } from '../routing/route'
import { mcpAnswer, mcpMessage } from '../schemas/mcp'

/** The Model Context Protocol, for agents. */
export const mcpRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/mcp',
    id: 'answerMcpMessage',
    tag: 'about',
    summary: 'Call a tool as an agent (MCP)',
    description:
      'Model Context Protocol over Streamable HTTP, versions 2026-07-28 and 2025-11-25, without sessions: each request has one message and is answered with JSON. Requires a key. Errors of tools are results with `isError`.',
    access: 'caller',
    body: mcpMessage,
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
      if (bytes.length > 0) return sendBytes(exchange, bytes, { status, cache: 'no-store' })
      sendHead(exchange, { status, length: 0 })
      exchange.response.end()
    },
  }),
]
