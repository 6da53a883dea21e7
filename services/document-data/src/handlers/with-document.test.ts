import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import { ActionsServiceService } from '@sheaf/protos/sheaf/document_data/v1/actions'
import { AttachmentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { BackupServiceService } from '@sheaf/protos/sheaf/document_data/v1/backup'
import { ChangesServiceService } from '@sheaf/protos/sheaf/document_data/v1/changes'
import { ColumnsServiceService } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { DocumentsServiceService } from '@sheaf/protos/sheaf/document_data/v1/documents'
import { ExportServiceService } from '@sheaf/protos/sheaf/document_data/v1/export'
import { FormsServiceService } from '@sheaf/protos/sheaf/document_data/v1/forms'
import { HistoryServiceService } from '@sheaf/protos/sheaf/document_data/v1/history'
import { ImportServiceService } from '@sheaf/protos/sheaf/document_data/v1/import'
import { InstanceServiceService } from '@sheaf/protos/sheaf/document_data/v1/instance'
import { PresenceServiceService } from '@sheaf/protos/sheaf/document_data/v1/presence'
import { RecordsServiceService } from '@sheaf/protos/sheaf/document_data/v1/records'
import { SqlServiceService } from '@sheaf/protos/sheaf/document_data/v1/sql'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { withDocument } from './with-document'

const services = [
  ActionsServiceService,
  AttachmentsServiceService,
  BackupServiceService,
  ChangesServiceService,
  ColumnsServiceService,
  DocumentsServiceService,
  ExportServiceService,
  FormsServiceService,
  HistoryServiceService,
  ImportServiceService,
  InstanceServiceService,
  PresenceServiceService,
  RecordsServiceService,
  SqlServiceService,
  TablesServiceService,
]

/** RPCs whose answer stands although the lease has ended: what they did is in the log, or uses no document of this instance. */
const writes = new Set([
  ...[
    'applyActions',
    'applyBatch',
    'uploadAttachment',
    'removeUnusedAttachments',
    'updateUsedAttachments',
  ],
  ...['restoreAttachments', 'addColumns', 'updateColumns', 'addOrUpdateColumns', 'deleteColumn'],
  ...[
    'recalculateFormulas',
    'revertChange',
    'restoreMoment',
    'addFormRow',
    'addRecords',
    'updateRecords',
    'addOrUpdateRecords',
  ],
  ...['deleteRecords', 'addTables', 'updateTables', 'addViews', 'updateViews', 'deleteView'],
  ...['importTables', 'updatePresence'],
  ...[
    'adoptDocument',
    'createDocument',
    'createFromDeleted',
    'createFromSnapshot',
    'deleteDocument',
    'importDocument',
    'moveDocument',
    'prepareDocument',
    'previewImport',
    'releaseDocument',
    'restoreDocument',
    'verifySnapshot',
  ],
])

const call = { caller: { docId: 'd', home: 'here' } } as unknown as ServerCall
const ended = new AppError('unavailable', 'HOME_LEASE_ENDED', 'ended')

type Handler = (request: unknown, call: ServerCall) => unknown

/** A handler during whose work the lease ends, behind the check. */
function serveOne(definition: object, name: string, isReplicated = true) {
  const lease = { isHeld: true }
  const documents = {
    isReplicated,
    prepare: () => undefined,
    guard: () => () => {
      if (!lease.isHeld) throw ended
    },
  }
  const isStream = (definition as Record<string, { responseStream: boolean }>)[name]?.responseStream
  const handlers = {
    [name]: isStream
      ? async function* () {
          yield 'before'
          await Promise.resolve()
          lease.isHeld = false
          yield 'after'
        }
      : () => {
          lease.isHeld = false
          return Promise.resolve('answer')
        },
  }
  const ctx = { documents, home: 'here' } as never
  const served = withDocument(ctx, definition as never, handlers) as Record<string, Handler>
  return { handlers, served, isStream }
}

async function run(definition: object, name: string): Promise<unknown[]> {
  const { served, isStream } = serveOne(definition, name)
  const answers: unknown[] = []
  try {
    const answer = served[name]?.({}, call)
    if (!isStream) answers.push(await answer)
    else for await (const part of answer as AsyncIterable<unknown>) answers.push(part)
  } catch (error) {
    answers.push(error)
  }
  return answers
}

describe.each(services)(
  'RPCs of a replicated instance whose lease ends while they run: %#',
  (definition) => {
    it.each(Object.keys(definition))('%s', async (name) => {
      const answers = await run(definition, name)
      if (writes.has(name)) expect(answers).not.toContain(ended)
      else expect(answers.at(-1)).toBe(ended)
      if (!writes.has(name)) expect(answers).not.toContain('after')
    })
  },
)

it('costs nothing without replication', () => {
  const { handlers, served } = serveOne(RecordsServiceService, 'readRecords', false)
  expect(served).toBe(handlers)
})
