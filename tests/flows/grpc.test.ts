import { findRunFile } from '@sheaf/cli/run-file'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import { AccessServiceClientImpl, Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { OrgsServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/orgs'
import { UsersServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/users'
import { RecordsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/records'
import { TablesServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { WebhooksServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
const channels: Partial<Record<'directory' | 'documentData' | 'webhook', GrpcChannel>> = {}

beforeAll(async () => {
  const run = await findRunFile(system.sheaf.dataDir)
  if (!run) throw new Error('the running Sheaf has no run file')
  for (const name of ['directory', 'documentData', 'webhook'] as const)
    channels[name] = openChannel({ address: run.addresses[name] })
})
afterAll(() => Object.values(channels).forEach((channel) => channel.close()))

const to = (name: keyof typeof channels): GrpcChannel => {
  const channel = channels[name]
  if (!channel) throw new Error(`no channel to ${name}`)
  return channel
}

/** The first step of an internal caller: it exchanges an API key for a token. */
function resolveAccess(apiKey: string, document: string) {
  return new AccessServiceClientImpl(to('directory')).resolveAccess({
    credential: { $case: 'apiKey', value: apiKey },
    document,
    site: '',
    neededRole: Role.UNSPECIFIED,
  })
}

const idOf = (doc: string) => doc.split('/').pop() ?? ''

describe('internal gRPC callers', () => {
  it('get a token with an API key, and read the document that it is for', async () => {
    const doc = idOf(await newDocument(system.alice.rest))
    const { token, document } = await resolveAccess(system.sheaf.ownerKey, doc)
    expect(document).toMatchObject({ docId: doc, role: Role.OWNERS, home: 'document-data-0' })
    const tables = new TablesServiceClientImpl(to('documentData'))
    const listed = await tables.listTables({ docId: doc, withColumns: true }, { token })
    expect(listed.tables.map(({ id }) => id)).toEqual(['Table1'])
  })

  it('are refused by every service without a token', async () => {
    const docId = idOf(await newDocument(system.alice.rest))
    const refused = { code: 'unauthenticated' }
    const orgs = new OrgsServiceClientImpl(to('directory'))
    const tables = new TablesServiceClientImpl(to('documentData'))
    for (const call of [{}, { token: '' }, { token: 'a.b.c' }]) {
      await expect(orgs.listOrgs({ site: '' }, call)).rejects.toMatchObject(refused)
      await expect(tables.listTables({ docId, withColumns: false }, call)).rejects.toMatchObject(
        refused,
      )
    }
    await expect(
      new WebhooksServiceClientImpl(to('webhook')).listWebhooks({ docId }),
    ).rejects.toThrow()
  })

  it('are refused with a token for another document, and nothing is written', async () => {
    const mine = await newDocument(system.dan.rest)
    const theirs = await newDocument(system.alice.rest)
    const { key } = await system.sheaf.createUser(system.dan.email, 'Dan')
    const { token } = await resolveAccess(key, idOf(mine))
    const records = new RecordsServiceClientImpl(to('documentData'))
    const bodyJson = Buffer.from('{"records":[{"fields":{"A":"x"}}]}')
    const add = records.addRecords(
      { docId: idOf(theirs), tableId: 'Table1', bodyJson, noParse: false, form: 0 },
      { token },
    )
    await expect(add).rejects.toMatchObject({ code: 'forbidden' })
    await expect(resolveAccess(key, idOf(theirs))).rejects.toMatchObject({ code: 'forbidden' })
    expect(await readRecords(system.alice.rest, `${theirs}/tables/Table1`)).toEqual([])
  })

  it("are refused the operator's calls with a user's token", async () => {
    const { token } = await resolveAccess(system.sheaf.ownerKey, '')
    const users = new UsersServiceClientImpl(to('directory'))
    await expect(users.listUsers({ afterId: 0, limit: 0 }, { token })).rejects.toMatchObject({
      reason: 'SYSTEM_ONLY',
    })
  })
})
