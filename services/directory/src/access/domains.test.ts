import { domainFault, shownDomain } from './domains'

describe('domainFault', () => {
  it.each(['abc', 'my-team', '9lives', 'ends-', 'x'.repeat(63), 'login2'])('permits %j', (domain) =>
    expect(domainFault(domain)).toBeUndefined(),
  )

  it.each([
    ['Team', 'lower-case letters'],
    ['my_team', 'lower-case letters'],
    ['-team', 'lower-case letters'],
    ['', 'lower-case letters'],
    ['docs-5', 'reserved prefix "docs-"'],
    ['o-5', 'reserved prefix "o-"'],
    ['v1-x', 'reserved prefix "v1-"'],
    ['x'.repeat(64), 'less than 64'],
    ['ab', 'more than 2'],
    ['docs', 'Invalid domain value'],
    ['current', 'Invalid domain value'],
    ['l0g1n', 'Invalid domain value'],
    ['12345', 'look like an id'],
    ['0f8fad5b-d9cb-469f-a165-70867728950e', 'look like an id'],
  ])('refuses %j, since %s', (domain, reason) => expect(domainFault(domain)).toContain(reason))
})

describe('shownDomain', () => {
  it('makes one of an id where there is none', () => {
    expect(shownDomain({ id: 3, domain: 'bench', ownerId: null })).toBe('bench')
    expect(shownDomain({ id: 3, domain: null, ownerId: null })).toBe('o-3')
    expect(shownDomain({ id: 3, domain: null, ownerId: 7 })).toBe('docs-7')
  })
})
