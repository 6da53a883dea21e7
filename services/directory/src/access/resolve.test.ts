import { chooseDocument, readDocumentRef, readOrgRef, readSite } from './resolve'

describe('readDocumentRef', () => {
  it('tells UUIDs, integers and url ids apart', () => {
    const uuid = '0F8FAD5B-D9CB-469F-A165-70867728950E'
    expect(readDocumentRef(uuid)).toEqual({ kind: 'uuid', docId: uuid.toLowerCase() })
    const docId = 'a44521d0-0fb8-4ade-8002-3385545c3318'
    expect(readDocumentRef('mhvXdrZT4jP5T8vBxuvm75')).toEqual({ kind: 'uuid', docId })
    expect(readDocumentRef('12')).toEqual({ kind: 'number', id: 12 })
    expect(readDocumentRef('12a')).toEqual({ kind: 'url', urlId: '12a' })
  })

  it.each(['', '0', '99999999999999', '2147483648', 'a_b', 'a b', 'é', 'a\0', 'x'.repeat(65)])(
    'finds nothing in %j',
    (text) => expect(readDocumentRef(text)).toBeUndefined(),
  )
})

describe('readSite', () => {
  it('knows the sites that have no domain of their own', () => {
    expect(readSite('')).toEqual({ kind: 'none' })
    expect(readSite('docs')).toEqual({ kind: 'personal' })
    expect(readSite('docs-7')).toEqual({ kind: 'owner', ownerId: 7 })
    expect(readSite('o-7')).toEqual({ kind: 'number', id: 7 })
  })

  it('compares domains in lower case', () => {
    expect(readSite('Bench')).toEqual({ kind: 'domain', domain: 'bench' })
  })

  it.each(['-a', 'a_b', 'docs-99999999999', 'x'.repeat(64), 'ü'])('finds nothing in %j', (text) =>
    expect(readSite(text)).toBeUndefined(),
  )
})

describe('readOrgRef', () => {
  it('takes the site addressed for current, and the personal one when there is none', () => {
    expect(readOrgRef('current', 'bench')).toEqual({ kind: 'domain', domain: 'bench' })
    expect(readOrgRef('current', '')).toEqual({ kind: 'personal' })
    expect(readOrgRef('current', 'a_b')).toBeUndefined()
  })

  it('takes integers for ids', () => {
    expect(readOrgRef('5', 'bench')).toEqual({ kind: 'number', id: 5 })
    expect(readOrgRef('', 'bench')).toBeUndefined()
  })
})

describe('chooseDocument', () => {
  const hidden = { role: null, ownerId: null, isRemoved: false }
  const team = { role: 'viewers', ownerId: null, isRemoved: false }
  const mine = { role: 'owners', ownerId: 7, isRemoved: false }

  it('takes the only one, visible or not', () => {
    expect(chooseDocument([], 7)).toBeUndefined()
    expect(chooseDocument([hidden], 7)).toBe(hidden)
  })

  it('prefers what the caller can see, and their own site before others', () => {
    expect(chooseDocument([hidden, team], 7)).toBe(team)
    expect(chooseDocument([team, mine], 7)).toBe(mine)
    expect(chooseDocument([hidden, { ...hidden }], 7)).toBe(hidden)
  })

  it('takes what is in the trash only when there is nothing else', () => {
    const removed = { ...mine, isRemoved: true }
    expect(chooseDocument([removed, team], 7)).toBe(team)
    expect(chooseDocument([removed, hidden], 7)).toBe(removed)
  })

  it('refuses to guess between sites', () => {
    expect(() => chooseDocument([team, { ...team }], 7)).toThrow('ambiguous document: ')
  })
})
