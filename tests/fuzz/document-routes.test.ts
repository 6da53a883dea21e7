import fc from 'fast-check'
import { addRecords, newDocument, useOwnSystem } from '../support/system'
import { vocabulary } from './bodies'
import { limitMs, patientSettings, runCampaign } from './campaign'
import { readOperations, type Operations } from './operations'
import { createRequests } from './requests'
import { createSender, type Places, type Sender } from './send'
import { readDocument } from './state'

const SECONDS = 20

/** Routes inside a document; new routes are included as soon as they are described. */
const isInDocument = /^\/api\/docs\/\{docId\}\/./
/** Routes of the document as a whole: its access and location. */
const isAboutDocument = /^\/api\/docs\/\{docId\}\/(access|move|copy|remove|unremove|pin|unpin)\b/

const system = useOwnSystem({ env: patientSettings })
let described: Operations
let sender: Sender

beforeAll(async () => {
  described = await readOperations(
    system.alice.rest,
    (path) => isInDocument.test(path) && !isAboutDocument.test(path),
  )
  sender = createSender(system.sheaf.url, system.sheaf.ownerKey)
})
afterAll(() => sender[Symbol.dispose]())

const segments = {
  docId: fc.constant('{docId}'),
  tableId: fc.oneof(
    { weight: 6, arbitrary: fc.constant('Plants') },
    { weight: 1, arbitrary: fc.constant('Beds') },
    { weight: 1, arbitrary: fc.constant('_grist_Tables') },
  ),
  colId: fc.constantFrom(...vocabulary.columns),
  webhookId: fc.constant('{webhookId}'),
}

/** A document with a column of every type, and a few rows. */
async function plant(): Promise<Places> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  const column = (id: string, type: string) => ({ id, fields: { type, label: id } })
  const { columns, types } = vocabulary
  const plants = columns.map((id, i) => column(id, types[i] ?? 'Any'))
  const tables = [
    { id: 'Beds', columns: [column('Name', 'Text')] },
    { id: 'Plants', columns: plants },
  ]
  await rest.post(`${doc}/tables`, { body: { tables } })
  await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'south' }, { Name: 'pond' }])
  await addRecords(rest, `${doc}/tables/Plants`, [
    { Name: 'Rose', Height: 1.5, Count: 3, Hardy: true, Tags: ['L', 'a'], Bed: 1 },
    { Name: 'Fern', Height: 0.5, Sown: 1709164800, Also: ['L', 1] },
    { Name: 'Ivy' },
  ])
  // Its events go to a receiver that does not exist.
  const hook = { url: 'https://hooks.invalid/', eventTypes: ['add', 'update'], tableId: 'Beds' }
  const made = await rest.post<{ webhooks: { id: string }[] }>(`${doc}/webhooks`, {
    body: { webhooks: [{ fields: hook }] },
  })
  return { docId: doc.replace('/api/docs/', ''), webhookId: made.body.webhooks[0]?.id ?? '' }
}

describe('the routes of what is inside a document', () => {
  it('are found in what the server says of itself', () => {
    const found = described.operations.map(({ method, path }) => `${method} ${path}`)
    const table = '/api/docs/{docId}/tables/{tableId}'
    expect(found).toEqual(
      expect.arrayContaining([
        'POST /api/docs/{docId}/tables',
        `POST ${table}/columns`,
        `PATCH ${table}/records`,
        `POST ${table}/data/delete`,
      ]),
    )
  })

  it(
    'take or refuse whatever is sent: no 5xx, no hang, no innards, and a refusal changes nothing',
    async () => {
      const pids = await system.sheaf.pids()
      const tally = await runCampaign({
        seconds: SECONDS,
        requests: createRequests(described, segments),
        sender,
        prepare: plant,
        readState: ({ docId }) => readDocument(system.alice.rest, `/api/docs/${docId}`),
      })
      // Both must be frequent for the requests to prove anything, and no process may have died.
      expect(tally.taken).toBeGreaterThan(10)
      expect(tally.refused).toBeGreaterThan(10)
      expect(await system.sheaf.pids()).toEqual(pids)
    },
    limitMs(SECONDS),
  )
})
