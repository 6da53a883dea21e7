import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import type { CreateDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { Org } from '@sheaf/protos/sheaf/directory/v1/orgs'
import type { DocumentSummary, Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import type { AddColumnsRequest, Column } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startStubbedGateway, DOC, type StubbedGateway } from './support/stub-services'

const times = { createdAt: '2024-01-02T03:04:05.000Z', updatedAt: '2024-01-02T03:04:06.000Z' }

const team: Org = {
  id: 3,
  name: 'Acme',
  domain: 'acme',
  owner: undefined,
  access: Role.GUESTS,
  ...times,
}
const personal: Org = {
  ...team,
  id: 2,
  domain: 'docs-1',
  owner: { id: 1, name: 'Alice' },
  access: Role.OWNERS,
}
const shownTeam = { ...team, owner: null, access: 'viewers' }

const summary: DocumentSummary = {
  id: 40,
  docId: DOC,
  name: 'Cities',
  access: Role.EDITORS,
  isPinned: true,
  urlId: undefined,
  ...times,
}
const shownSummary = {
  id: 40,
  uuid: DOC,
  name: 'Cities',
  access: 'editors',
  isPinned: true,
  urlId: null,
  ...times,
}
const workspace: Workspace = {
  id: 12,
  name: 'Home',
  access: Role.VIEWERS,
  docs: [summary],
  orgDomain: 'acme',
  ...times,
}
const shownWorkspace = { id: 12, name: 'Home', access: 'viewers', docs: [shownSummary], ...times }

const column: Column = {
  id: 'A',
  fields: {
    type: 'Int',
    label: 'A',
    formula: '',
    isFormula: false,
    widgetOptions: '',
    visibleCol: 0,
    description: '',
    untieColIdFromLabel: false,
    recalcWhen: 0,
    recalcDepsJson: undefined,
    rulesJson: Buffer.from('["L",3]'),
    parentPos: 1.5,
  },
  colRef: 2,
  tableRef: 1,
  displayCol: 0,
  summarySourceCol: 0,
  reverseCol: 0,
}
const shownColumn = {
  id: 'A',
  fields: {
    colRef: 2,
    parentId: 1,
    parentPos: 1.5,
    type: 'Int',
    widgetOptions: '',
    isFormula: false,
    formula: '',
    label: 'A',
    description: '',
    untieColIdFromLabel: false,
    summarySourceCol: 0,
    displayCol: 0,
    visibleCol: 0,
    rules: ['L', 3],
    recalcWhen: 0,
    recalcDeps: null,
    reverseCol: 0,
  },
}

const added: AddColumnsRequest[] = []
const steps: unknown[] = []
let system: StubbedGateway
let rest: Rest

beforeAll(async () => {
  system = await startStubbedGateway({
    orgs: {
      listOrgs: async () => ({ orgs: [personal, team] }),
      getOrg: async ({ org }) => ({ org: org?.org === 'acme' ? team : personal }),
    },
    workspaces: {
      listWorkspaces: async () => ({ workspaces: [workspace] }),
      getWorkspace: async () => ({ workspace, org: team }),
    },
    documents: {
      getDocument: async () => ({ document: summary, workspace, org: team }),
      createDocument: async (request: CreateDocumentRequest) => {
        steps.push(request)
        return system.access.grantNew()
      },
      publishDocument: async (request) => {
        steps.push(request)
        return {}
      },
    },
    tables: {
      listTables: async ({ withColumns }) => ({
        tables: [
          {
            id: 'T',
            tableRef: 1,
            primaryViewId: 5,
            summarySourceTable: 0,
            onDemand: false,
            rawViewSectionRef: 6,
            recordCardViewSectionRef: 7,
            columns: withColumns ? [column] : [],
          },
        ],
        seq: 1,
      }),
    },
    columns: {
      listColumns: async () => ({ columns: [column], seq: 1 }),
      addColumns: async (request: AddColumnsRequest) => {
        added.push(request)
        return { columnIds: ['A', 'B2'], seq: 1 }
      },
    },
  })
  rest = createRest(system.url, 'alice-key')
})
afterAll(() => system[Symbol.asyncDispose]())

const body = async (path: string) => (await rest.get(path)).body

describe('what is shown', () => {
  it('of an org: a guest as a viewer, and an owner for a personal one only', async () => {
    const shownPersonal = {
      ...personal,
      access: 'owners',
      owner: { id: 1, name: 'Alice', picture: null },
    }
    expect(await body('/api/orgs')).toEqual([shownPersonal, shownTeam])
    expect(await body('/api/orgs/acme')).toEqual(shownTeam)
  })

  it('of a workspace: its org domain in a listing, its org alone', async () => {
    const listed = [{ ...shownWorkspace, orgDomain: 'acme' }]
    expect(await body('/api/orgs/current/workspaces')).toEqual(listed)
    expect(await body('/api/workspaces/12')).toEqual({ ...shownWorkspace, org: shownTeam })
  })

  it('of a document: its integer id, and its workspace with the org', async () => {
    expect(await body(`/api/docs/${DOC}`)).toEqual({
      ...shownSummary,
      workspace: { id: 12, name: 'Home', access: 'viewers', org: shownTeam },
    })
  })

  it('of a table: its refs, and columns when they are asked for', async () => {
    const fields = {
      tableRef: 1,
      primaryViewId: 5,
      summarySourceTable: 0,
      onDemand: false,
      rawViewSectionRef: 6,
      recordCardViewSectionRef: 7,
    }
    const path = `/api/docs/${DOC}/tables`
    expect(await body(path)).toEqual({ tables: [{ id: 'T', fields }] })
    expect(await body(`${path}?expand=column`)).toEqual({
      tables: [{ id: 'T', fields, columns: [shownColumn] }],
    })
  })

  it('of a column: all of its metadata', async () => {
    expect(await body(`/api/docs/${DOC}/tables/T/columns`)).toEqual({ columns: [shownColumn] })
  })
})

describe('adding columns', () => {
  it('sends what was set, and leaves the rest to its default', async () => {
    const fields = { type: 'Choice', label: 5, widgetOptions: '{}', rules: ['L', 1], _position: 2 }
    const reply = await rest.post(`/api/docs/${DOC}/tables/T/columns`, {
      body: { columns: [{ id: 'A', fields }, {}] },
    })
    expect(reply.body).toEqual({ columns: [{ id: 'A' }, { id: 'B2' }] })
    const [first, second] = added[0]?.columns ?? []
    expect(first).toMatchObject({
      id: 'A',
      fields: { type: 'Choice', label: '5', widgetOptions: '{}', parentPos: 2 },
    })
    expect(first?.fields).toMatchObject({ isFormula: undefined, formula: undefined })
    expect(Buffer.from(first?.fields?.rulesJson ?? []).toString()).toBe('["L",1]')
    expect(second).toMatchObject({ id: '', fields: { type: undefined } })
  })
})

describe('creating a document', () => {
  it('reserves it, makes its file, publishes it, and answers its UUID', async () => {
    const reply = await rest.post('/api/workspaces/12/docs', { body: { isPinned: true } })
    expect(reply).toMatchObject({ status: 200, body: DOC })
    expect(steps).toMatchObject([
      { workspaceId: 12, name: '', isPinned: true, urlId: undefined },
      { docId: DOC },
    ])
    expect(system.created).toEqual([DOC])
  })
})
