import { z } from 'zod'
import { originOf } from '../http/origin'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'

const tag = 'about'

/** The API description. */
export const openApiRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/openapi.json',
    id: 'getOpenApi',
    tag,
    summary: 'Get the OpenAPI document',
    description:
      'Describes every operation of the API. `servers` has the address of the request, or `SHEAF_PUBLIC_URL` if that is set.',
    access: 'open',
    success: { description: 'OpenAPI 3.1 document', schema: z.looseObject({}) },
    async handle(exchange) {
      sendBytes(exchange, exchange.context.describeApi().json(originOf(exchange)))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/docs-ui',
    id: 'getReference',
    tag,
    summary: 'Get the API reference page',
    description: 'Renders the OpenAPI document as an HTML page without scripts.',
    access: 'open',
    success: { description: 'HTML page', mediaType: 'text/html' },
    async handle(exchange) {
      const { html, policy } = exchange.context.describeApi()
      sendBytes(exchange, html, { mediaType: 'text/html; charset=utf-8', policy })
    },
  }),
]
