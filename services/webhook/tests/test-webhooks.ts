import { migrate, openDatabase } from '@sheaf/kit/postgres/database'
import type { CallerClaims } from '@sheaf/auth/caller-token'
import { openChannel } from '@sheaf/kit/grpc/client'
import { Closer } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { ListTablesResponse } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { BackupServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/backup'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/documents'
import {
  WebhookFields,
  WebhooksServiceClientImpl,
  type Webhook,
} from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { createTokenAuthority } from '@sheaf/testkit/token-authority'
import type { Kysely } from 'kysely'
import { migrations } from '../src/db/migrations/index'
import type { WebhookSchema } from '../src/db/schema'
import type { WebhookRow, WebhookUpdate } from '../src/db/webhooks'
import type { DocumentClients } from '../src/document-calls'
import { startWebhook } from '../src/service'
import { webhookConfig } from './webhook-config'

/** A table of the document-data that the test plays: names of columns by their refs. */
export interface TestTable {
  readonly ref: number
  readonly id: string
  readonly columns: Readonly<Record<number, string>>
}

/** A table of the document that each test begins with … */
export const people = { ref: 1, id: 'People', columns: { 2: 'Name', 3: 'Ready', 4: 'Age' } }
/** … and another one. */
export const pets = { ref: 5, id: 'Pets', columns: { 6: 'Name', 7: 'Ready' } }

/** A webhook service with clients, its database, and a document-data that the test plays. */
export interface TestWebhooks extends AsyncDisposable {
  readonly webhooks: WebhooksServiceClientImpl
  readonly documents: DocumentsServiceClientImpl
  readonly backup: BackupServiceClientImpl
  readonly db: Kysely<WebhookSchema>
  /** What document-data answers of every document: its tables and the latest entry of its log. */
  readonly document: { tables: TestTable[]; seq: number }
  /** Thrown by calls to document-data, each once. */
  readonly failures: Error[]
  /** A token for this document, of its owner unless `claims` say otherwise. */
  as(docId: string, claims?: Partial<CallerClaims>): Promise<{ token: string }>
  /** Makes webhooks as the owner; resolves to their ids. */
  create(docId: string, ...list: Partial<WebhookFields>[]): Promise<string[]>
  createOne(docId: string, fields?: Partial<WebhookFields>): Promise<string>
  list(docId: string): Promise<Webhook[]>
  change(docId: string, webhookId: string, fields: Partial<WebhookFields>): Promise<void>
  /** A webhook as it is stored. */
  read(webhookId: string): Promise<WebhookRow>
  set(webhookId: string, values: WebhookUpdate): Promise<void>
  /** Up to where the log of a document is handled. */
  readHandled(docId: string): Promise<number | undefined>
  setHandled(docId: string, seq: number): Promise<void>
}

/** Fields of a new webhook of table `People`, changed by `fields`. */
export function newFields(fields: Partial<WebhookFields> = {}): WebhookFields {
  const url = 'https://example.com/hook'
  return WebhookFields.create({ url, eventTypes: ['add', 'update'], tableId: 'People', ...fields })
}

/** Starts the service with a database of its own. */
export async function startTestWebhooks(): Promise<TestWebhooks> {
  const closer = new Closer()
  const { url } = closer.use(await createTestDatabase())
  const authority = await createTokenAuthority()
  const failures: Error[] = []
  const document: TestWebhooks['document'] = { tables: [], seq: 1 }
  const clients = { tables: { listTables: () => Promise.resolve(answer(document)) } }
  const documentCalls = {
    run<T>(_: string, run: (clients: DocumentClients, call: { token: string }) => Promise<T>) {
      const failure = failures.shift()
      if (failure) return Promise.reject(failure)
      return run(clients as unknown as DocumentClients, { token: '' })
    },
  }
  const overrides = { ...authority, documentCalls }
  const service = closer.use(await startWebhook(webhookConfig(url), overrides))
  const channel = closer.use(openChannel({ address: service.address }))
  const log = createLogger('test')
  const db = closer.use(openDatabase<WebhookSchema>({ url, schema: 'webhook', log }))
  await migrate(db, 'webhook', migrations)
  const webhooks = new WebhooksServiceClientImpl(channel)
  const as: TestWebhooks['as'] = async (docId, claims) => ({
    token: await authority.sign({ docId, role: 'owners', ...claims }),
  })
  const create: TestWebhooks['create'] = async (docId, ...list) => {
    const request = { docId, webhooks: list.map(newFields) }
    return (await webhooks.createWebhooks(request, await as(docId))).ids
  }
  return {
    webhooks,
    documents: new DocumentsServiceClientImpl(channel),
    backup: new BackupServiceClientImpl(channel),
    ...{ db, document, failures, as, create },
    createOne: async (docId, fields = {}) => (await create(docId, fields))[0] ?? '',
    list: async (docId) => (await webhooks.listWebhooks({ docId }, await as(docId))).webhooks,
    async change(docId, webhookId, given) {
      const fields = WebhookFields.create(given)
      await webhooks.updateWebhook({ docId, webhookId, fields }, await as(docId))
    },
    read: (id) =>
      db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    async set(id, values) {
      await db.updateTable('webhooks').set(values).where('id', '=', id).execute()
    },
    async readHandled(docId) {
      const handled = db.selectFrom('documents').select('handled_seq').where('doc_id', '=', docId)
      return (await handled.executeTakeFirst())?.handled_seq
    },
    async setHandled(docId, seq) {
      const set = { handled_seq: seq }
      await db.updateTable('documents').set(set).where('doc_id', '=', docId).execute()
    },
    [Symbol.asyncDispose]: () => closer.close(),
  }
}

function answer({ tables, seq }: TestWebhooks['document']): ListTablesResponse {
  return ListTablesResponse.fromPartial({
    seq,
    tables: tables.map(({ ref, id, columns }) => ({
      id,
      tableRef: ref,
      columns: Object.entries(columns).map(([colRef, colId]) => ({
        id: colId,
        colRef: Number(colRef),
      })),
    })),
  })
}
