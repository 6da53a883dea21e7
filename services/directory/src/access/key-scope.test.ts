import type { KeyScope } from '@sheaf/auth/key-scope'
import { isWithin, namesPlaces } from './key-scope'

const scope = (change: Partial<KeyScope>): KeyScope => ({
  readOnly: false,
  orgs: [],
  workspaces: [],
  documents: [],
  ...change,
})

const place = { orgId: 1, workspaceId: 2, docId: 'three' }

describe('a scope', () => {
  it('without places reaches everything', () => {
    expect(namesPlaces(scope({ readOnly: true }))).toBe(false)
    expect(isWithin(scope({ readOnly: true }), place)).toBe(true)
  })

  it('reaches what is inside the places that it names', () => {
    expect(isWithin(scope({ orgs: [1] }), place)).toBe(true)
    expect(isWithin(scope({ workspaces: [2] }), place)).toBe(true)
    expect(isWithin(scope({ documents: ['three'] }), place)).toBe(true)
    expect(isWithin(scope({ orgs: [9], documents: ['three'] }), place)).toBe(true)
  })

  it('does not reach what is around or beside them', () => {
    expect(isWithin(scope({ documents: ['three'] }), { orgId: 1, workspaceId: 2 })).toBe(false)
    expect(isWithin(scope({ workspaces: [2] }), { orgId: 1 })).toBe(false)
    expect(isWithin(scope({ workspaces: [1], orgs: [2] }), place)).toBe(false)
    expect(isWithin(scope({ documents: ['other'] }), place)).toBe(false)
  })
})
