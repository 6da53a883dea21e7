import fc from 'fast-check'
import { useOwnSystem } from '../support/system'
import { limitMs, patientSettings, runCampaign } from './campaign'
import { readOperations, type Operations } from './operations'
import { createRequests } from './requests'
import { createSender, type Places, type Sender } from './send'
import { readHome } from './state'

const SECONDS = 8

/**
 * Routes of sites, workspaces, and whole documents; new routes are included as soon as they are described.
 */
const isHome =
  /^\/api\/(orgs|workspaces)\b|^\/api\/docs\/\{docId\}(\/(access|move|copy|remove|unremove|pin|unpin)\b.*)?$/

const system = useOwnSystem({ env: patientSettings })
let described: Operations
let sender: Sender

beforeAll(async () => {
  described = await readOperations(system.alice.rest, (path) => isHome.test(path))
  sender = createSender(system.sheaf.url, system.sheaf.ownerKey)
})
afterAll(() => sender[Symbol.dispose]())

const segments = {
  orgId: fc.constant('{orgId}'),
  workspaceId: fc.constant('{workspaceId}'),
  docId: fc.constant('{docId}'),
}

let made = 0

/** A site with a workspace and a document in it. */
async function found(): Promise<Places> {
  const { rest } = system.alice
  const domain = `fuzz-${++made}`
  const org = await rest.post<number>('/api/orgs', { body: { name: 'Fuzz', domain } })
  const workspaces = `/api/orgs/${org.body}/workspaces`
  const workspace = await rest.post<number>(workspaces, { body: { name: 'Fuzz' } })
  const docs = `/api/workspaces/${workspace.body}/docs`
  const doc = await rest.post<string>(docs, { body: { name: 'Fuzz' } })
  expect([org.status, workspace.status, doc.status]).toEqual([200, 200, 200])
  return { orgId: org.body, workspaceId: workspace.body, docId: doc.body }
}

describe('the routes of sites, workspaces and documents', () => {
  it(
    'take or refuse whatever is sent: no 5xx, no hang, no innards, and a refusal changes nothing',
    async () => {
      const pids = await system.sheaf.pids()
      const tally = await runCampaign({
        seconds: SECONDS,
        requests: createRequests(described, segments),
        sender,
        prepare: found,
        readState: (places) => readHome(system.alice.rest, places),
      })
      expect(tally.taken).toBeGreaterThan(5)
      expect(tally.refused).toBeGreaterThan(5)
      expect(await system.sheaf.pids()).toEqual(pids)
    },
    limitMs(SECONDS),
  )
})
