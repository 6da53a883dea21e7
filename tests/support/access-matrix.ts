import { randomUUID } from 'node:crypto'
import { createKey, roles, type AccessRole, type AccessWorld, type Target } from './access-world'
import { sharedForm } from './shared-form'

/** The expected status, by caller. */
export type Statuses = Readonly<Record<AccessRole, number>>

/** Values for the placeholders of a path. */
export type PathParams = Readonly<Record<string, string | number>>

/** The request to one route, and the status that each caller must get. */
export interface Entry {
  readonly statuses: Statuses
  /** The body, or a function that creates it; `{}` for none. */
  readonly body?: object | ((target: Target, params: PathParams) => object)
  readonly query?: Record<string, unknown>
  /**
   * True to give each permitted caller a target of its own, because the request removes or moves something.
   */
  readonly fresh?: boolean
  /** Further path parameters, created for the caller. */
  readonly params?: (world: AccessWorld, role: AccessRole) => Promise<PathParams>
}

/**
 * The named callers get 200, others 403; callers with a revoked or expired key get 401.
 * @param others other statuses, by role
 */
function allow(names: readonly AccessRole[], others: Partial<Statuses> = {}): Statuses {
  const ended = { revoked: 401, expired: 401 }
  const all = roles.map((role) => [role, names.includes(role) ? 200 : 403] as const)
  return { ...(Object.fromEntries(all) as Statuses), ...ended, ...others }
}

const users = ['owner', 'editor', 'viewer', 'member', 'guest', 'stranger'] as const

/** Routes without authentication. */
const open = allow(roles, { revoked: 200, expired: 200 })
/** As `open`, for what this Sheaf does not have. */
const noResource = allow([], Object.fromEntries(roles.map((role) => [role, 404])))
const everybody = allow([...users, 'anonymous', 'reader', 'elsewhere'])
/** Callers with an account and an unconfined key. */
const account = allow(users, { anonymous: 401 })
/** Callers that may see that the site exists. */
const visitors = allow(['owner', 'editor', 'viewer', 'member', 'guest', 'reader', 'elsewhere'])
/** Callers that may see the site, with a key that covers all of it. */
const insiders = allow(['owner', 'editor', 'viewer', 'member', 'guest'])
/** Callers that may see that the workspace exists. */
const lookers = allow(['owner', 'editor', 'viewer', 'guest', 'reader'])
const viewers = allow(['owner', 'editor', 'viewer', 'reader'])
/** As `viewers`, with an account and a key without a scope. */
const ownViews = allow(['owner', 'editor', 'viewer'], { anonymous: 401 })
const editors = allow(['owner', 'editor'])
const owners = allow(['owner'])

/** As `viewers`, for a session without a stream of changes. */
const unknownPresence = allow([], { owner: 404, editor: 404, viewer: 404, reader: 404 })

/** As `account`, for a request that names the account wrongly. */
const misnamed = allow([], Object.fromEntries(users.map((user) => [user, 400])))

/** As `owners`, for a delivery that does not exist. */
const unknownDelivery = allow([], { owner: 404 })

/** As `account`, for a session that does not exist. */
const unknownSession = allow([], {
  ...Object.fromEntries(users.map((user) => [user, 404])),
  anonymous: 401,
})

const inheritAll = { delta: { maxInheritedRole: 'owners' } }
/** A form with one file. */
function uploadOf(name: string, content: string): FormData {
  const form = new FormData()
  form.set('upload', new Blob([content]), name)
  return form
}

/** A webhook that sends nothing. */
const hook = {
  url: 'https://hooks.example/',
  eventTypes: ['add'],
  tableId: 'T',
  enabled: false,
}

/** A view with a name that no other has. */
const newView = (): object => ({ views: [{ fields: { name: randomUUID() } }] })
const newRecords = { records: [{ fields: { A: 'b' } }] }

/**
 * Every route by its id. A new route needs an entry here: the permitted callers, and a request that would
 * succeed.
 */
export const entries: Readonly<Record<string, Entry>> = {
  // about
  getStatus: { statuses: open },
  getOpenApi: { statuses: open },
  getReference: { statuses: open },

  // orgs
  listOrgs: { statuses: everybody },
  createOrg: { statuses: account, body: { name: 'Mine' } },
  describeOrg: { statuses: visitors },
  modifyOrg: { statuses: owners, body: { name: 'Renamed' } },
  deleteOrg: { statuses: owners, fresh: true },
  deleteNamedOrg: { statuses: owners, fresh: true, params: force },
  listOrgAccess: { statuses: insiders },
  modifyOrgAccess: { statuses: owners, body: { delta: { users: {} } } },

  // workspaces
  listWorkspaces: { statuses: visitors },
  createWorkspace: { statuses: editors, body: { name: 'New' } },
  describeWorkspace: { statuses: lookers },
  modifyWorkspace: { statuses: owners, body: { name: 'Renamed' } },
  removeWorkspace: { statuses: owners, fresh: true },
  restoreWorkspace: { statuses: owners },
  deleteWorkspace: { statuses: owners, fresh: true },
  listWorkspaceAccess: { statuses: lookers },
  modifyWorkspaceAccess: { statuses: owners, body: inheritAll },

  // documents
  createDoc: { statuses: editors, body: { name: 'New' } },
  describeDoc: { statuses: viewers },
  modifyDoc: { statuses: owners, body: { name: 'Renamed' } },
  importDoc: { statuses: editors, body: () => uploadOf('new.csv', 'a,b\n1,2\n') },
  previewImportOfDoc: { statuses: editors, body: () => uploadOf('new.csv', 'a,b\n1,2\n') },
  importTables: { statuses: editors, body: () => uploadOf('new.csv', 'a,b\n1,2\n') },
  previewImport: { statuses: editors, body: () => uploadOf('new.csv', 'a,b\n1,2\n') },
  listDeletedDocs: { statuses: owners },
  undeleteDoc: {
    statuses: owners,
    params: deletedDocument,
    body: (_, { deleted }) => ({ document: deleted }),
  },
  copyDoc: { statuses: editors, body: ({ workspaceId }) => ({ workspaceId }) },
  moveDoc: {
    statuses: owners,
    fresh: true,
    body: ({ otherWorkspaceId }) => ({ workspace: otherWorkspaceId }),
  },
  pinDoc: { statuses: editors },
  unpinDoc: { statuses: editors },
  removeDoc: { statuses: owners, fresh: true },
  restoreDoc: { statuses: owners },
  deleteDoc: { statuses: owners, fresh: true },
  describeDocPreferences: { statuses: ownViews },
  modifyDocPreferences: { statuses: ownViews, body: { a: 1 } },
  listDocAccess: { statuses: viewers },
  modifyDocAccess: { statuses: owners, body: inheritAll },

  // downloads
  downloadDoc: { statuses: viewers },
  downloadCsv: { statuses: viewers, query: { tableId: 'Table1' } },
  downloadTsv: { statuses: viewers, query: { tableId: 'Table1' } },
  downloadDsv: { statuses: viewers, query: { tableId: 'Table1' } },
  downloadXlsx: { statuses: viewers },
  describeTableSchema: { statuses: viewers, query: { tableId: 'Table1' } },

  // tables and columns
  listTables: { statuses: viewers },
  getTypeScriptTypes: { statuses: viewers },
  getPythonTypes: { statuses: viewers },
  getTableJsonSchema: { statuses: viewers },
  addTables: { statuses: editors, body: { tables: [{ columns: [{ id: 'A' }] }] } },
  listColumns: { statuses: viewers },
  listGroups: { statuses: viewers, query: { groupBy: 'A' } },
  listColumnValues: { statuses: viewers, params: () => Promise.resolve({ columnId: 'A' }) },
  modifyTables: {
    statuses: editors,
    body: { tables: [{ id: 'Table1', fields: { onDemand: false } }] },
  },
  addColumns: { statuses: editors, body: { columns: [{ id: 'B' }] } },
  modifyColumns: { statuses: editors, body: { columns: [{ id: 'A', fields: { label: 'A' } }] } },
  replaceColumns: { statuses: editors, body: { columns: [{ id: 'A', fields: { label: 'A' } }] } },
  deleteColumn: {
    statuses: editors,
    fresh: true,
    params: () => Promise.resolve({ columnId: 'A' }),
  },

  // views
  listViews: { statuses: viewers },
  addViews: { statuses: editors, body: newView },
  modifyViews: {
    statuses: editors,
    params: view,
    body: (_, { viewId }) => ({ views: [{ id: viewId, fields: { description: 'd' } }] }),
  },
  deleteView: { statuses: editors, params: view },

  // forms
  describeForm: { statuses: open, params: sharedForm },
  addFormRow: { statuses: open, params: sharedForm, body: { fields: { A: 'b' } } },
  describeFormLink: { statuses: editors, params: sharedForm },
  createFormLink: { statuses: owners, params: sharedForm },
  deleteFormLink: { statuses: owners, params: sharedForm },

  // records
  fetchRecords: { statuses: viewers },
  listRecords: { statuses: viewers, body: {} },
  addRecords: { statuses: editors, body: newRecords },
  modifyRecords: { statuses: editors, body: { records: [{ id: 1, fields: { A: 'c' } }] } },
  deleteRecords: { statuses: editors, body: [19] },
  addOrUpdateRecords: {
    statuses: editors,
    body: { records: [{ require: { A: 'd' }, fields: { A: 'e' } }] },
  },
  applyActions: { statuses: editors, body: [['AddRecord', 'Table1', null, { A: 'f' }]] },
  applyBatch: {
    statuses: editors,
    body: {
      operations: [{ op: 'addRecords', table: 'Table1', records: [{ fields: { A: 'g' } }] }],
    },
  },

  // attachments
  listAttachments: { statuses: viewers },
  uploadAttachments: { statuses: editors, body: fileForm('a.txt', 'a') },
  attach: { statuses: editors, body: fileForm('a.txt', 'a') },
  describeAttachment: { statuses: viewers, params: attachment },
  downloadAttachment: { statuses: viewers, params: attachment },
  updateUsedAttachments: { statuses: editors },
  removeUnusedAttachments: { statuses: owners },
  verifyAttachments: { statuses: owners },
  downloadAttachmentsArchive: { statuses: viewers },
  // Two zero blocks are an archive without files.
  restoreAttachments: { statuses: owners, body: fileForm('a.tar', '\0'.repeat(1024)) },
  describeAttachmentStore: { statuses: viewers },
  chooseAttachmentStore: { statuses: owners, body: { type: 'internal' } },
  listAttachmentStores: { statuses: owners },
  transferAttachments: { statuses: owners },
  describeAttachmentTransfer: { statuses: viewers },

  // data
  fetchTableData: { statuses: viewers },
  addRows: { statuses: editors, body: { A: ['g'] } },
  modifyRows: { statuses: editors, body: { id: [1], A: ['h'] } },
  deleteRows: { statuses: editors, body: [20] },

  // sql
  runSql: { statuses: viewers, query: { q: 'select A from Table1' } },
  runSqlWithArgs: { statuses: viewers, body: { sql: 'select ? as a', args: [1] } },

  // changes
  listChanges: { statuses: viewers },
  setPresence: { statuses: unknownPresence, params: noSession, body: { tableId: 'Table1' } },
  // formulas
  listFormulaTimings: { statuses: viewers },
  recalculateFormulas: { statuses: editors },
  checkFormula: { statuses: editors, body: { tableId: 'Table1', formula: '1' } },

  // agents: the tools decide about documents
  answerMcpMessage: {
    statuses: allow([...users, 'reader', 'elsewhere'], { anonymous: 401 }),
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  },
  // Without an identity provider there is none.
  getMcpResource: { statuses: noResource },
  getResource: { statuses: noResource },

  // history
  listHistory: { statuses: editors },
  compareMoments: { statuses: editors, query: { from: 1 } },
  compareDocuments: { statuses: viewers, params: itself },
  restoreMoment: { statuses: editors, body: { asOf: 1 }, fresh: true },
  revertChange: { statuses: editors, params: newChange },
  // webhook deliveries
  listWebhookDeliveries: { statuses: owners, params: webhook },
  // Permitted callers get an error because the delivery does not exist.
  describeWebhookDelivery: { statuses: unknownDelivery, params: noDelivery },
  redeliverWebhookDelivery: { statuses: unknownDelivery, params: noDelivery },
  testWebhook: { statuses: owners, params: webhook },
  // A disabled document has none, and nothing changed after this time.
  replayWebhook: {
    statuses: owners,
    params: enabledWebhook,
    body: { since: Number.MAX_SAFE_INTEGER },
  },
  // webhooks
  listWebhooks: { statuses: owners },
  createWebhooks: { statuses: owners, body: { webhooks: [{ fields: hook }] } },
  clearWebhookQueues: { statuses: owners },
  clearWebhookQueue: { statuses: owners, params: webhook },
  modifyWebhook: { statuses: owners, params: webhook, body: { name: 'Renamed' } },
  deleteWebhook: { statuses: owners, params: webhook },
  describeWebhookSecret: { statuses: owners, params: webhook },
  rotateWebhookSecret: { statuses: owners, params: webhook },
  subscribe: { statuses: owners, body: hook },
  unsubscribe: { statuses: editors, params: webhook, body: (_, params) => params },

  // users
  // Who may is told that this is not their name, and stays.
  deleteUser: { statuses: misnamed, params: oneself, body: { name: 'Nobody' } },

  // profile
  describeProfile: { statuses: everybody },
  renameUser: { statuses: account, body: { name: 'Renamed' } },

  // session
  describeSession: { statuses: everybody },
  signOut: { statuses: account, body: { everywhere: true } },
  listSessions: { statuses: account },
  endSession: { statuses: unknownSession, params: noSession },
  endOtherSessions: { statuses: account },

  // keys
  describeDefaultKey: { statuses: { ...account, anonymous: 200 } },
  createDefaultKey: { statuses: account, body: { force: true } },
  revokeDefaultKey: { statuses: account },
  listKeys: { statuses: account },
  createKey: { statuses: account, body: { name: 'another' } },
  listKeyChanges: { statuses: account, params: ownKey },
  revokeKey: { statuses: account, params: ownKey },
}

/** A form with one file. */
function fileForm(name: string, content: string): FormData {
  const form = new FormData()
  form.append('upload', new File([content], name))
  return form
}

/** A new view of the shared document. */
async function view({ rest, target }: AccessWorld): Promise<PathParams> {
  const path = `/api/docs/${target.docId}/tables/T/views`
  const { body } = await rest.owner.post<{ views: { id: number }[] }>(path, { body: newView() })
  return { viewId: body.views[0]?.id ?? 0 }
}

/** A new attachment of the shared document. */
async function attachment({ rest, target }: AccessWorld): Promise<PathParams> {
  const body = fileForm('a.txt', 'a')
  const path = `/api/docs/${target.docId}/attachments`
  return { attachmentId: (await rest.owner.post<number[]>(path, { body })).body[0] ?? 0 }
}

/** A new change of the shared document. */
async function newChange({ rest, target }: AccessWorld): Promise<PathParams> {
  const doc = `/api/docs/${target.docId}`
  await rest.owner.post(`${doc}/tables`, { body: { tables: [{ columns: [{ id: 'A' }] }] } })
  const { body } = await rest.owner.get<{ changes: { seq: number }[] }>(`${doc}/history`)
  return { seq: body.changes[0]?.seq ?? 0 }
}

/** The document as the other one of a comparison. */
function itself({ target }: AccessWorld): Promise<PathParams> {
  return Promise.resolve({ docId2: target.docId })
}

/** A new webhook of the shared document, with its key. */
function webhook(world: AccessWorld): Promise<PathParams> {
  return subscribe(world, hook)
}

/** As `webhook`, for requests that delete rows; there are none. */
function enabledWebhook(world: AccessWorld): Promise<PathParams> {
  return subscribe(world, { ...hook, eventTypes: ['remove'], enabled: true })
}

async function noDelivery(world: AccessWorld): Promise<PathParams> {
  return { ...(await webhook(world)), deliveryId: 'none' }
}

async function subscribe({ rest, target }: AccessWorld, body: object): Promise<PathParams> {
  const path = `/api/docs/${target.docId}/tables/T/_subscribe`
  const made = await rest.owner.post<{ webhookId: string; unsubscribeKey: string }>(path, { body })
  return { webhookId: made.body.webhookId, unsubscribeKey: made.body.unsubscribeKey }
}

function noSession(): Promise<PathParams> {
  return Promise.resolve({ sessionId: 999_999_999 })
}

/** A document of the shared workspace that was deleted. */
async function deletedDocument({ rest, target }: AccessWorld): Promise<PathParams> {
  const path = `/api/workspaces/${target.workspaceId}/docs`
  const { body: deleted } = await rest.owner.post<string>(path, { body: { name: 'Deleted' } })
  await rest.owner.delete(`/api/docs/${deleted}`)
  return { deleted }
}

function force(): Promise<PathParams> {
  return Promise.resolve({ name: 'force-delete' })
}

/** The account of the caller, or of the owner for callers without one. */
async function oneself({ rest }: AccessWorld, role: AccessRole): Promise<PathParams> {
  const person = users.find((user) => user === role) ?? 'owner'
  const { body } = await rest[person].get<{ id: number }>('/api/profile/user')
  return { userId: body.id }
}

/** A key of the caller, or of the owner for callers without one. */
async function ownKey({ rest }: AccessWorld, role: AccessRole): Promise<PathParams> {
  const person = users.find((user) => user === role) ?? 'owner'
  return { keyId: (await createKey(rest[person], {})).id }
}
