import { AppError } from '@sheaf/kit/errors'
import { z } from 'zod'
import { sendJson, sendNull, sendText } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import {
  apiKey,
  apiKeyFields,
  defaultKeyFields,
  newApiKey,
  toApiKey,
  toWireScope,
} from '../schemas/keys'
import { keyParams } from '../schemas/parameters'

const tag = 'keys'
/** The caller. */
const userId = 0
/** The hidden characters of a key. */
const MASK = '*'.repeat(28)

/** The default key of the calling user, and all their keys by name. */
export const keyRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/profile/apikey',
    id: 'describeDefaultKey',
    tag,
    summary: 'Tell whether you have a default key, and how it begins',
    description: 'Only a hash of a key is kept, so it cannot be shown again.',
    access: 'caller',
    success: {
      description: 'The beginning of the key, the rest masked; empty when there is none',
      mediaType: 'text/html',
    },
    async handle(exchange) {
      const { keys } = exchange.context.directory
      const found = await keys.getDefaultKey({ userId }, exchange.call())
      sendText(exchange, found.apiKey ? found.apiKey.prefix + MASK : '', 'html')
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profile/apikey',
    id: 'createDefaultKey',
    tag,
    summary: 'Make your default key',
    description: 'Replaces the one that there is only with `force`; that one ends at once.',
    access: 'caller',
    body: defaultKeyFields,
    success: { description: 'The key, shown this once', mediaType: 'text/html' },
    async handle(exchange, { body: { force } }) {
      const request = { userId, replace: force ?? false }
      const { keys } = exchange.context.directory
      const { key } = await keys.createDefaultKey(request, exchange.call())
      sendText(exchange, key, 'html')
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/profile/apikey',
    id: 'revokeDefaultKey',
    tag,
    summary: 'Revoke your default key',
    access: 'caller',
    success: { description: 'The text OK', mediaType: 'text/plain' },
    async handle(exchange) {
      const { keys } = exchange.context.directory
      await keys.revokeDefaultKey({ userId }, exchange.call())
      sendText(exchange, 'OK')
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/profile/apikeys',
    id: 'listKeys',
    tag,
    summary: 'List your API keys',
    access: 'caller',
    success: { description: 'The keys by id, without their secrets', schema: z.array(apiKey) },
    async handle(exchange) {
      const { keys } = exchange.context.directory
      const { apiKeys } = await keys.listKeys({ userId }, exchange.call())
      sendJson(exchange, apiKeys.map(toApiKey))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/profile/apikeys',
    id: 'createKey',
    tag,
    summary: 'Make a named API key, which can have an end and be confined',
    access: 'caller',
    body: apiKeyFields,
    success: { description: 'The key, shown this once', schema: newApiKey },
    async handle(exchange, { body: { name, expiresAt, scope } }) {
      if (!name)
        throw new AppError('invalid', 'NAME_REQUIRED', 'name is required', { field: 'name' })
      const request = { userId, name, expiresAt: expiresAt ?? '', scope: toWireScope(scope) }
      const { keys } = exchange.context.directory
      const made = await keys.createKey(request, exchange.call())
      if (!made.apiKey) throw new Error('directory made a key and did not describe it')
      sendJson(exchange, { ...toApiKey(made.apiKey), key: made.key })
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/profile/apikeys/{keyId}',
    id: 'revokeKey',
    tag,
    summary: 'Revoke one of your API keys',
    access: 'caller',
    params: keyParams,
    success: { description: 'Done: the key is refused from now on', schema: nothing },
    async handle(exchange, { params: { keyId } }) {
      const keyRef = { $case: 'keyId', value: keyId } as const
      await exchange.context.directory.keys.revokeKey({ keyRef }, exchange.call())
      sendNull(exchange)
    },
  }),
]
