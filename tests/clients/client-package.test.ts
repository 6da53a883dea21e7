import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { addRecords, addTable, newDocument, useSystem } from '../support/system'

/*
 * @sheaf/client as programs see it that install it: compiled against its declarations in strict mode, and run as CommonJS and
 * as an ES module.
 */

const system = useSystem()
const run = promisify(execFile)
const root = join(__dirname, '../..')
const bin = join(root, 'node_modules/.bin')
const tsc = join(root, 'node_modules/typescript/bin/tsc')

/** Types of responses must be those of the client or narrower, and types of requests those of the API or narrower. */
const comparison = `
import type * as client from '@sheaf/client'
import type { components, operations } from './sheaf-api'

type Schemas = components['schemas']
type Body<Id extends keyof operations> = operations[Id] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
} ? Body : never
type ImportForm = NonNullable<operations['importTables']['requestBody']> extends {
  content: { 'multipart/form-data': infer Form }
} ? Form : never
type Item<List> = List extends readonly (infer Item)[] ? Item : never

declare const read: {
  org: Schemas['Org']
  summary: Schemas['DocumentSummary']
  document: Schemas['Document']
  workspace: Schemas['ListedWorkspace']
  table: Schemas['Table']
  column: Schemas['Column']
  attachment: Item<Body<'listAttachments'>['records']>
  change: Schemas['Change']
  history: Item<Schemas['HistoryPage']['changes']>
  batch: Body<'applyBatch'>
  actions: Body<'applyActions'>
  webhook: Schemas['Webhook']
  delivery: Schemas['WebhookDelivery']
  replay: Schemas['WebhookReplayed']
  secrets: Body<'describeWebhookSecret'>
  record: Item<Schemas['Records']['records']>
  preview: Schemas['ImportPreview']
  importedDocument: Schemas['ImportedDocument']
  importedTables: Schemas['ImportedTables']
}
export const responses: {
  org: client.Org
  summary: client.DocumentSummary
  document: client.DocumentDescription
  workspace: client.Workspace
  table: client.TableDescription
  column: client.Column
  attachment: client.Attachment
  change: client.Change
  history: client.HistoryChange
  batch: client.AppliedBatch
  actions: client.AppliedActions
  webhook: client.Webhook
  delivery: client.WebhookDelivery
  replay: client.WebhookReplay
  secrets: client.WebhookSecrets
  record: { id: number; fields: Record<string, unknown> }
  preview: client.ImportPreview
  importedDocument: client.ImportedDocument
  importedTables: client.ImportedTables
} = read

/** Lists are read-only in the client. */
type Writable<T> = T extends string | number | boolean | null | undefined ? T
  : { -readonly [K in keyof T]: Writable<T[K]> }
declare const written: {
  newTable: Writable<client.NewTable>
  tableUpdate: Writable<client.TableUpdate>
  newColumn: Writable<client.NewColumn>
  columnUpdate: Writable<client.ColumnUpdate>
  operation: Writable<client.BatchOperation<client.AnyDocument>>
  webhook: Writable<client.NewWebhook>
  webhookUpdate: Writable<client.WebhookUpdate>
  document: Omit<client.NewDocument, 'workspaceId'>
  importOptions: Writable<client.ImportOptions>
  importTarget: Writable<client.ImportTarget>
}
export const requests: {
  newTable: Schemas['NewTable']
  tableUpdate: Schemas['TableUpdate']
  newColumn: Schemas['NewColumn']
  columnUpdate: Schemas['ColumnUpdate']
  operation: Schemas['BatchOperation']
  webhook: Schemas['NewWebhookFields']
  webhookUpdate: Schemas['WebhookChange']
  importOptions: NonNullable<ImportForm['options']>
  importTarget: NonNullable<ImportForm['target']>
  document: operations['createDoc']['requestBody'] extends infer R
    ? NonNullable<R> extends { content: { 'application/json': infer Body } } ? Body : never
    : never
} = written

/** Properties that one side has alone; undefined ones of the client would never be there. */
type Unknown<Client, Api> = Exclude<keyof Client, keyof Api>
export const unknown: {
  column: Unknown<client.ColumnFields, Schemas['Column']['fields']>
  newColumn: Unknown<client.ColumnSettings, Schemas['NewColumnFields']>
  changed: Unknown<client.ColumnUpdate['fields'], Schemas['ColumnChangeFields']>
  table: Unknown<client.TableDescription['fields'], Schemas['Table']['fields']>
  updated: Unknown<client.TableUpdate['fields'], Schemas['TableChangeFields']>
  change: Unknown<client.HistoryChange, Item<Schemas['HistoryPage']['changes']>>
  webhook: Unknown<client.Webhook['fields'], Schemas['Webhook']['fields']>
  usage: Unknown<client.WebhookUsage, Schemas['WebhookUsage']>
  delivery: Unknown<client.WebhookDelivery, Schemas['WebhookDelivery']>
  newWebhook: Unknown<client.NewWebhook, Schemas['NewWebhookFields']>
  importOptions: Unknown<client.ImportOptions, NonNullable<ImportForm['options']>>
  importTarget: Unknown<client.ImportTarget, NonNullable<ImportForm['target']>>
  preview: Unknown<client.ImportPreview, Schemas['ImportPreview']>
  batch: Unknown<client.AppliedOperation, Item<Body<'applyBatch'>['operations']>>
} extends Record<string, never> ? true : false = true
`

const program = `
import { NotFoundError, Sheaf } from '@sheaf/client'
import type { SheafDocument } from './document'

const [url = '', key = '', id = ''] = process.argv.slice(2)

async function main(): Promise<void> {
  const doc = new Sheaf({ url, key }).doc<SheafDocument>(id)
  const people = doc.table('People')
  const [ada = 0] = await people.add([{ Name: 'Ada' }])
  await people.add([{ Name: 'Bob', Boss: ada }])
  const found: [string | null, number][] = []
  for await (const { fields } of people.list({ filter: { Boss: [ada] }, sort: '-Name' }))
    found.push([fields.Name, fields.Boss])
  // @ts-expect-error no such column
  void people.list({ fields: ['Nmae'] })
  // @ts-expect-error text for a reference
  const wrong: Parameters<typeof people.add>[0] = [{ Boss: 'Ada' }]
  const error = await new Sheaf({ url, key }).doc(id).table('Nobody').page().catch((thrown: unknown) => thrown)
  console.log(JSON.stringify({ found, isMissing: error instanceof NotFoundError, wrong: wrong.length }))
}

void main()
`

const moduleProgram = `
import { Sheaf } from '@sheaf/client'
const [url, key, id] = process.argv.slice(2)
const names = []
for await (const { fields } of new Sheaf({ url, key }).doc(id).table('People').list()) names.push(fields.Name)
console.log(JSON.stringify(names))
`

const settings = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'ES2022',
    module: 'Node16',
    moduleResolution: 'Node16',
    lib: ['ES2022', 'DOM'],
    types: ['node'],
  },
  files: ['client.ts', 'comparison.ts'],
}

describe('the client package', () => {
  let folder = ''
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sheaf-client-'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    await writeFile(join(folder, 'comparison.ts'), comparison)
    await writeFile(join(folder, 'client.ts'), program)
    await writeFile(join(folder, 'client.mjs'), moduleProgram)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('agrees with the OpenAPI document and with generated types, and runs in both forms', async () => {
    const { url, ownerKey } = system.sheaf
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'People', { Name: 'Text', Boss: 'Ref:People' })
    const types = await rest.get(`${doc}/types.ts`)
    await writeFile(join(folder, 'document.ts'), types.text)
    const api = join(folder, 'sheaf-api.ts')
    await run(join(bin, 'openapi-typescript'), [`${url}/api/openapi.json`, '--output', api])
    await run(tsc, ['--project', folder]).catch((error: { stdout: string }) => {
      throw new Error(error.stdout)
    })
    const id = doc.split('/').at(-1) ?? ''
    const start = (file: string) => run(process.execPath, [join(folder, file), url, ownerKey, id])
    const { stdout } = await start('client.js')
    expect(JSON.parse(stdout)).toEqual({ found: [['Bob', 1]], isMissing: true, wrong: 1 })
    await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Cy' }])
    expect(JSON.parse((await start('client.mjs')).stdout)).toEqual(['Ada', 'Bob', 'Cy'])
  })
})
