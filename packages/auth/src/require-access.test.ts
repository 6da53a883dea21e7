import { requireDocumentRole } from './require-access'
import type { VerifiedCaller } from './caller-token'
import type { ServerCall } from './server-call'

const DOC = '7c7ab2f0-0f7c-4b39-8a3c-3a6d6c0f9b1e'
const noScope = { orgs: [], workspaces: [], documents: [] }

const callBy = (change: Partial<VerifiedCaller>): ServerCall => ({
  caller: {
    userId: 3,
    email: 'alice@example.com',
    name: 'Alice',
    anonymous: false,
    system: false,
    docId: DOC,
    role: 'owners',
    expiresAt: Date.now() + 30_000,
    ...change,
  },
  token: '',
  signal: new AbortController().signal,
  deadline: Infinity,
  requestId: '',
})

describe('requireDocumentRole', () => {
  it('permits what the role permits, on the document of the token only', () => {
    expect(() => requireDocumentRole(callBy({}), DOC, 'owners')).not.toThrow()
    const other = '00000000-0000-4000-8000-000000000000'
    expect(() => requireDocumentRole(callBy({}), other, 'viewers')).toThrow('No view access')
    expect(() => requireDocumentRole(callBy({ role: 'viewers' }), DOC, 'editors')).toThrow(
      'No write access',
    )
  })

  it('permits no changes with a read-only key, whatever the role', () => {
    const reading = callBy({ scope: { ...noScope, readOnly: true } })
    expect(() => requireDocumentRole(reading, DOC, 'viewers')).not.toThrow()
    for (const need of ['editors', 'owners'] as const)
      expect(() => requireDocumentRole(reading, DOC, need)).toThrow('the scope of the API key')
    const writing = callBy({ scope: { ...noScope, readOnly: false, documents: [DOC] } })
    expect(() => requireDocumentRole(writing, DOC, 'owners')).not.toThrow()
  })

  it('permits edits and no acts of owners with a key that has caps', () => {
    const caps = { rowsPerCall: 10 }
    const editing = callBy({ scope: { ...noScope, readOnly: false, caps } })
    expect(() => requireDocumentRole(editing, DOC, 'editors')).not.toThrow()
    expect(() => requireDocumentRole(editing, DOC, 'owners')).toThrow('the scope of the API key')
  })
})
