import { AppError } from '@sheaf/kit/errors'
import { z } from 'zod'
import { listKeyChanges } from '../documents/key-changes'
import { sendJson, sendNull, sendText } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { keyChangesPage, keyChangesQuery } from '../schemas/key-changes'
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
    summary: 'Get the prefix of your default key',
    description:
      'Returns the first characters of the key. Only a hash of the key is stored, so it cannot be shown again.',
    access: 'caller',
    noStore: true,
    success: {
      description: 'First characters of the key, the rest masked; empty if you have no default key',
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
    summary: 'Create your default key',
    description:
      'An existing default key is replaced, and revoked immediately, only if `force` is set. Requires a signed-in user.',
    access: 'caller',
    body: defaultKeyFields,
    noStore: true,
    success: { description: 'The key; it is not shown again', mediaType: 'text/html' },
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
    description: 'The key is rejected immediately. Requires a signed-in user.',
    access: 'caller',
    success: { description: 'The text `OK`', mediaType: 'text/plain' },
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
    description: 'Returns the metadata of your keys. Requires a signed-in user.',
    access: 'caller',
    success: { description: 'Your keys by id, without secrets', schema: z.array(apiKey) },
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
    summary: 'Create a named API key',
    description: 'The key can have an expiry and a scope. Requires a signed-in user.',
    access: 'caller',
    body: apiKeyFields,
    noStore: true,
    success: { description: 'The key; it is not shown again', schema: newApiKey },
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
    method: 'get',
    path: '/api/profile/apikeys/{keyId}/changes',
    id: 'listKeyChanges',
    tag,
    summary: 'List what an API key has changed',
    description:
      'Returns the changes that one of your keys, also a revoked one, has made in documents of which you are an editor: the 100 documents that it used last. Undo a change with `POST /api/docs/{docId}/changes/{seq}/revert`. Requires a signed-in user.',
    access: 'caller',
    params: keyParams,
    query: keyChangesQuery,
    success: { description: 'Page of changes, newest first', schema: keyChangesPage },
    async handle(exchange, { params: { keyId }, query }) {
      sendJson(exchange, await listKeyChanges(exchange, { keyId, ...query }))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/profile/apikeys/{keyId}',
    id: 'revokeKey',
    tag,
    summary: 'Revoke an API key',
    description: 'Revokes one of your keys. Requires a signed-in user.',
    access: 'caller',
    params: keyParams,
    success: { description: 'Done; the key is rejected immediately', schema: nothing },
    async handle(exchange, { params: { keyId } }) {
      const keyRef = { $case: 'keyId', value: keyId } as const
      await exchange.context.directory.keys.revokeKey({ keyRef }, exchange.call())
      sendNull(exchange)
    },
  }),
]
