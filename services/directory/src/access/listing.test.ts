import { listFor, listPerson, type ListedResource, type PersonRoles } from './listing'

const document: ListedResource = {
  level: 'document',
  workspaceCap: 'owners',
  documentCap: 'owners',
}
const workspace: ListedResource = { ...document, level: 'workspace' }
const org: ListedResource = { ...document, level: 'org' }

const nothing: PersonRoles = {
  kind: 'login',
  orgRole: null,
  workspaceRole: null,
  documentRole: null,
  isOrgGuest: false,
  isWorkspaceGuest: false,
}

describe('listPerson', () => {
  it('shows what comes from above before the resource cuts it', () => {
    const bob = { ...nothing, orgRole: 'owners' as const, documentRole: 'viewers' as const }
    expect(listPerson({ ...document, documentCap: null }, bob)).toEqual({
      access: 'viewers',
      parentAccess: 'owners',
      effective: 'viewers',
      isMember: true,
    })
    expect(listPerson({ ...document, workspaceCap: 'editors' }, bob)).toMatchObject({
      parentAccess: 'editors',
      effective: 'editors',
    })
  })

  it('lets nothing come down from membership', () => {
    const bob = { ...nothing, orgRole: 'members' as const }
    expect(listPerson(workspace, bob)).toEqual({
      access: undefined,
      parentAccess: undefined,
      effective: undefined,
      isMember: true,
    })
    expect(listPerson(org, bob).access).toBe('members')
  })

  it('calls those guests who have something inside, but not everybody', () => {
    const guest = { ...nothing, isOrgGuest: true, isWorkspaceGuest: true }
    expect(listPerson(org, guest)).toMatchObject({ access: 'guests', isMember: false })
    expect(listPerson(workspace, guest).access).toBe('guests')
    expect(listPerson(document, guest).access).toBeUndefined()
    expect(listPerson(org, { ...guest, kind: 'everyone' }).access).toBeUndefined()
    expect(listPerson(org, { ...guest, kind: 'anonymous' }).access).toBe('guests')
  })
})

describe('listFor', () => {
  const people = [
    { ...nothing, id: 1, kind: 'anonymous' as const, documentRole: 'editors' as const },
    { ...nothing, id: 2, kind: 'everyone' as const, isOrgGuest: true },
    { ...nothing, id: 3, orgRole: 'owners' as const },
    { ...nothing, id: 4, documentRole: 'editors' as const, isOrgGuest: true },
    { ...nothing, id: 5, documentRole: 'viewers' as const, isOrgGuest: true },
    { ...nothing, id: 6, isOrgGuest: true },
  ]
  const idsFor = (resource: ListedResource, callerId: number) => {
    const { users, ...rest } = listFor(resource, people, callerId)
    return { ids: users.map(({ id }) => id), ...rest }
  }

  it('shows all people of the org to an owner, and public users where they have something', () => {
    const all = { isPersonal: false, isPublic: false }
    expect(idsFor(document, 3)).toEqual({ ids: [1, 3, 4, 5, 6], ...all })
    expect(idsFor(org, 3)).toEqual({ ids: [3, 4, 5, 6], ...all })
  })

  it('shows an owner what the public has above a resource that lets nothing come down', () => {
    const anon = { ...nothing, id: 1, kind: 'anonymous' as const, orgRole: 'editors' as const }
    const alice = { ...nothing, id: 3, workspaceRole: 'owners' as const }
    const { users } = listFor({ ...workspace, workspaceCap: null }, [anon, alice], 3)
    expect(users.map(({ id, access, parentAccess }) => [id, access, parentAccess])).toEqual([
      [1, undefined, 'editors'],
      [3, 'owners', undefined],
    ])
  })

  it('shows an editor of a document who can open it', () => {
    expect(idsFor(document, 4)).toEqual({ ids: [1, 3, 4, 5], isPersonal: true, isPublic: false })
    expect(idsFor(org, 4)).toEqual({ ids: [4], isPersonal: true, isPublic: false })
  })

  it('shows everybody else only themselves, and to the public no people', () => {
    expect(idsFor(document, 5)).toEqual({ ids: [5], isPersonal: true, isPublic: false })
    expect(idsFor(document, 6)).toEqual({ ids: [], isPersonal: true, isPublic: true })
    expect(idsFor(document, 99)).toEqual({ ids: [], isPersonal: true, isPublic: true })
    expect(idsFor(document, 1)).toEqual({ ids: [1], isPersonal: true, isPublic: true })
    expect(idsFor(org, 1)).toEqual({ ids: [], isPersonal: true, isPublic: true })
  })
})
