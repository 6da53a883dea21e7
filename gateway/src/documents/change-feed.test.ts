import { AppError, toAppError } from '@sheaf/kit/errors'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendChanges, toClientError } from './change-feed'
import { getReadOptions, getWriteOptions } from './conditional-requests'

it('answers 409 with the oldest change, not 412, when the log was cut', () => {
  const cut = new AppError('precondition', 'CHANGES_CUT', 'gone', { oldestSeq: '7' })
  const told = toAppError(toClientError(cut))
  expect(told).toMatchObject({
    code: 'conflict',
    reason: 'CHANGES_CUT',
    metadata: { oldestSeq: '7' },
  })
})

it('passes all other errors on as they are', () => {
  const other = new AppError('precondition', 'DOCUMENT_DELETED', 'gone')
  expect(toClientError(other)).toBe(other)
})

/** The ETag of the changes for a caller with this role. */
async function tagFor(role: string, as: 'json' | 'lines'): Promise<string> {
  const headers: string[] = []
  const response = { writeHead: () => {}, end: () => {} }
  const exchange = {
    request: { method: 'GET', headers: {} },
    context: { config: {}, isDraining: () => false },
    response,
    headers,
    expectRead: () => {},
    requireReader: () => {},
    countUnread: () => {},
  } as unknown as Exchange
  const readChanges = async function* () {
    yield await Promise.resolve({ latestSeq: 7, etag: 'epoch.7' })
  }
  const document = {
    role,
    read: (run: (home: object, call: object) => unknown) => run({ changes: { readChanges } }, {}),
  } as unknown as DocumentSession
  await sendChanges(exchange, document, { afterSeq: 0, limit: 0 }, as)
  return headers[headers.indexOf('ETag') + 1] ?? ''
}

it('what a viewer is told has another tag than what an editor is told, in each form', async () => {
  const roles = ['viewers', 'editors', 'owners']
  expect(await Promise.all(roles.map((role) => tagFor(role, 'json')))).toEqual([
    'W/"epoch.7-new"',
    'W/"epoch.7"',
    'W/"epoch.7"',
  ])
  expect(await Promise.all(roles.map((role) => tagFor(role, 'lines')))).toEqual([
    'W/"epoch.7-new-ndjson"',
    'W/"epoch.7-ndjson"',
    'W/"epoch.7-ndjson"',
  ])
})

it('all of these tags name the state of the document to a write, and none but its own to a read', async () => {
  const tags = [await tagFor('viewers', 'json'), await tagFor('viewers', 'lines')]
  const asked = (headers: object) => ({ request: { headers } }) as unknown as Exchange
  for (const tag of tags) {
    const write = getWriteOptions(asked({ 'if-match': tag }), Buffer.alloc(0))
    expect(write?.ifMatch).toEqual(['epoch.7'])
    expect(getReadOptions(asked({ 'if-none-match': tag }))?.ifNoneMatch).toEqual([])
  }
})
