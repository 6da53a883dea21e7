import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { listDescendants, type ProcessIds } from './process-usage'
import { columns } from './load/rows'

/** Download formats of the table, or of the document with it. */
export type DownloadForm = 'csv' | 'xlsx' | 'sqlite'

/** A running server to measure. */
export interface Target {
  readonly name: 'Sheaf' | 'plain server'
  readonly port: number
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>
  /** Path of the table's records. */
  readonly recordsPath: string
  /**
   * Path of the records of another table of the same size, which is read in orders: an order that is kept makes writes to its
   * table slower.
   */
  readonly sortedPath: string
  /** Paths of the table's downloads. */
  readonly downloads: Readonly<Record<DownloadForm, string>>
  /** Path of SQL on the document, with the parameter `q`; the table is `Customers`. */
  readonly sqlPath: string
  /** Path of the metadata of the document. */
  readonly documentPath: string
  /** Path at which documents are created. */
  readonly documentsPath: string
  /** Returns its current processes, by name. */
  pids(): Promise<ProcessIds>
}

/** A target that is stopped by disposing of it. */
export type RunningTarget<T extends Target = Target> = T & AsyncDisposable

/** A complete Sheaf as a target, with further operations. */
export interface SheafTarget extends Target {
  readonly sheaf: RunningSheaf
  readonly rest: Rest
  /** Creates a document with the empty table; resolves to the path of its records. */
  addDocument(name: string): Promise<string>
}

/** Starts the plain server in a separate process. */
export async function startPlain(): Promise<RunningTarget> {
  const folder = await tempDir()
  const child = spawn(process.execPath, [join(__dirname, 'plain/plain-server.js'), folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return {
    name: 'plain server',
    port: Number(line.toString()),
    headers: {},
    recordsPath: '/records',
    // It keeps no orders.
    sortedPath: '/records',
    downloads: { csv: '/csv', xlsx: '/xlsx', sqlite: '/sqlite' },
    sqlPath: '/sql',
    documentPath: '/document',
    documentsPath: '/documents',
    pids: () => Promise.resolve({ 'plain server': child.pid === undefined ? [] : [child.pid] }),
    async [Symbol.asyncDispose]() {
      child.kill()
      await once(child, 'exit')
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Starts a complete Sheaf with its own engines, and creates the table over REST. */
export async function startSheafTarget(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningTarget<SheafTarget>> {
  const sheaf = await startSheaf({ ownEngines: true, env })
  const rest = createRest(sheaf.url, sheaf.ownerKey)
  const { body } = await rest.get<{ id: number }[]>('/api/orgs/current/workspaces')
  const documentsPath = `/api/workspaces/${body[0]?.id}/docs`
  const addDocument = async (name: string) => {
    const doc = await rest.post<string>(documentsPath, { body: { name } })
    const table = {
      id: 'Customers',
      columns: Object.entries(columns).map(([id, type]) => ({ id, fields: { type } })),
    }
    await rest.post(`/api/docs/${doc.body}/tables`, { body: { tables: [table] } })
    return `/api/docs/${doc.body}/tables/Customers/records`
  }
  const recordsPath = await addDocument('Bench')
  const sortedPath = await addDocument('Sorted')
  const download = recordsPath.replace(/\/tables\/.*/, '/download')
  return {
    name: 'Sheaf',
    port: Number(new URL(sheaf.url).port),
    headers: { Authorization: `Bearer ${sheaf.ownerKey}` },
    recordsPath,
    sortedPath,
    downloads: {
      csv: `${download}/csv?tableId=Customers`,
      xlsx: `${download}/xlsx?tableId=Customers`,
      sqlite: `${download}?nohistory=1`,
    },
    sqlPath: recordsPath.replace(/\/tables\/.*/, '/sql'),
    documentPath: recordsPath.replace(/\/tables\/.*/, ''),
    documentsPath,
    pids: () => pidsOf(sheaf),
    sheaf,
    rest,
    addDocument,
    [Symbol.asyncDispose]: () => sheaf[Symbol.asyncDispose](),
  }
}

async function pidsOf(sheaf: RunningSheaf): Promise<ProcessIds> {
  const { gateway = NaN, directory = NaN, webhook = NaN, ...others } = await sheaf.pids()
  const documentData = Object.entries(others)
    .filter(([name]) => name.startsWith('document-data'))
    .map(([, pid]) => pid)
  const services = new Set([gateway, directory, ...documentData, webhook])
  return {
    gateway: [gateway],
    'document-data': documentData,
    directory: [directory],
    webhook: [webhook],
    // PostgreSQL and NATS, with all their descendants.
    engines: listDescendants(sheaf.pid).filter((pid) => !services.has(pid)),
  }
}
