import { AppError } from '@sheaf/kit/errors'
import type { WebhookFields } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import type { EventKind } from '../db/schema'
import { checkUrl } from '../targets/url-rule'

/** In UTF-16 units; enough for any real value, while a listing of all webhooks stays small. */
const maxLengths = { url: 2_000, name: 1_024, memo: 4_096, authorization: 4_096 } as const
/** Duplicates are allowed, as clients have sent them. */
const MAX_EVENT_TYPES = 10
/** The maximum number of columns in a table. */
const MAX_COLUMNS = 2_000
const MAX_ID_LENGTH = 1_024

const kinds: readonly string[] = ['add', 'update', 'remove'] satisfies EventKind[]
/** Valid in a header: no control characters but tabs, and nothing outside of Latin-1. */
const HEADER_VALUE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

/** Fields of a request; absent ones stay unchanged. Columns and table are names, not refs. */
export interface WebhookChange {
  readonly url?: string
  readonly eventTypes?: EventKind[]
  readonly tableId?: string
  /** Empty for none. */
  readonly readyColumn?: string
  readonly watchedColumns?: string[]
  readonly enabled?: boolean
  readonly name?: string
  readonly memo?: string
  readonly authorization?: string
}

/** A change with all required fields of a webhook. */
export type NewWebhook = WebhookChange &
  Required<Pick<WebhookChange, 'url' | 'eventTypes' | 'tableId'>>

/**
 * Validates the fields of a request, except for the names. Throws AppError `invalid` naming the field, or
 * `forbidden` for an address that deliveries may not go to.
 */
export function readChange(fields: WebhookFields, allowedHosts: readonly string[]): WebhookChange {
  const { url, tableId, enabled, name, memo, authorization } = fields
  requireLengths(fields)
  if (authorization !== undefined && !HEADER_VALUE.test(authorization))
    throw badField('authorization', 'has a character that is not allowed in headers')
  const eventTypes = fields.eventTypes.length === 0 ? undefined : fields.eventTypes.map(readKind)
  const watchedColumns = fields.hasWatchedColIds
    ? fields.watchedColIds.flatMap(readColumn)
    : undefined
  if (url !== undefined) checkUrl(url, allowedHosts)
  const readyColumn = fields.isReadyColumn
  return {
    url,
    eventTypes,
    tableId,
    readyColumn,
    watchedColumns,
    enabled,
    name,
    memo,
    authorization,
  }
}

/**
 * Validates the fields of a new webhook as `readChange` does. Throws AppError `invalid` naming a missing one,
 * too.
 */
export function readNewWebhook(fields: WebhookFields, allowedHosts: readonly string[]): NewWebhook {
  const { url, eventTypes, tableId, ...rest } = readChange(fields, allowedHosts)
  if (url === undefined) throw badField('url', 'is missing')
  if (tableId === undefined) throw badField('tableId', 'is missing')
  if (eventTypes === undefined) throw badField('eventTypes', 'must be a non-empty array')
  return { url, eventTypes, tableId, ...rest }
}

function requireLengths(fields: WebhookFields): void {
  for (const [name, max] of Object.entries(maxLengths))
    requireText(name, fields[name as keyof typeof maxLengths], max)
  requireText('tableId', fields.tableId, MAX_ID_LENGTH)
  requireText('isReadyColumn', fields.isReadyColumn, MAX_ID_LENGTH)
  for (const id of fields.watchedColIds) requireText('watchedColIds', id, MAX_ID_LENGTH)
  if (fields.eventTypes.length > MAX_EVENT_TYPES)
    throw badField('eventTypes', `has more than ${MAX_EVENT_TYPES} items`)
  if (fields.watchedColIds.length > MAX_COLUMNS)
    throw badField('watchedColIds', `has more than ${MAX_COLUMNS} items`)
}

function requireText(name: string, text: string | undefined, max: number): void {
  if (text === undefined) return
  if (text.length > max) throw badField(name, `is longer than ${max} characters`)
  if (text.includes('\0')) throw badField(name, 'must not contain NUL')
}

function readKind(text: string): EventKind {
  if (!kinds.includes(text))
    throw badField(
      'eventTypes',
      `has an item that is none of ${kinds.map((kind) => `"${kind}"`).join(', ')}`,
    )
  return text as EventKind
}

/** Formulas prefix columns with `$`, and so do some clients; blanks are ignored. */
function readColumn(id: string): string[] {
  return id.trim() === '' ? [] : [id.replace(/^\$/, '')]
}

function badField(field: string, fault: string): AppError {
  return new AppError('invalid', 'BAD_FIELD', `${field} ${fault}`, { field })
}
