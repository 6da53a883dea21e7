import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { readDelta, readOrgDelta } from './access'

/** An error with these fields among others; jest's own matcher has no type. */
const matching = (fields: object) => expect.objectContaining(fields) as unknown as Error

const parse = (text: string) => JSON.parse(text) as unknown

describe('readDelta', () => {
  it('reads roles and what comes down', () => {
    expect(readDelta({ users: { 'bob@x': 'editors', 'carol@x': null }, other: 1 })).toEqual({
      changes: [
        { email: 'bob@x', role: Role.EDITORS },
        { email: 'carol@x', role: Role.UNSPECIFIED },
      ],
      maxInheritedRole: undefined,
    })
    expect(readDelta({ maxInheritedRole: 'viewers' })).toEqual({
      changes: [],
      maxInheritedRole: Role.VIEWERS,
    })
    expect(readDelta({ users: null, maxInheritedRole: null })).toEqual({
      changes: [],
      maxInheritedRole: Role.UNSPECIFIED,
    })
    expect(readDelta(parse('{"users":{"__proto__":"viewers"}}')).changes).toEqual([
      { email: '__proto__', role: Role.VIEWERS },
    ])
  })

  it.each([undefined, null])('misses a delta that is %j', (delta) =>
    expect(() => readDelta(delta)).toThrow(
      matching({ message: 'Bad request: missing permission delta' }),
    ),
  )

  it.each([{}, 'x', 5, true, [], { users: [] }, { users: 'bob' }, { users: null }, { other: 1 }])(
    'refuses %j, naming the field',
    (delta) =>
      expect(() => readDelta(delta)).toThrow(
        matching({
          reason: 'INVALID_DELTA',
          message: 'Bad request: invalid permission delta',
          metadata: { field: expect.stringMatching(/^delta(\.users)?$/) as string },
        }),
      ),
  )

  it.each<[unknown, string]>([
    ['kings', 'kings'],
    ['', ''],
    ['Owners', 'Owners'],
    [3, '3'],
    [false, 'false'],
    [[], 'object'],
    [parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), 'object'],
    ['x'.repeat(1000), `${'x'.repeat(40)}…`],
    ['constructor', 'constructor'],
  ])('refuses a role that is none (%#)', (role, shown) => {
    expect(() => readDelta({ users: { 'bob@x': role } })).toThrow(
      matching({
        reason: 'INVALID_ROLE',
        message: `Invalid user role ${shown}; allowed: owners, editors, viewers, members or null`,
        metadata: { field: 'delta.users', allowed: 'owners, editors, viewers, members' },
      }),
    )
    expect(() => readDelta({ maxInheritedRole: role })).toThrow(
      matching({
        message: `Invalid maxInheritedRole ${shown}; allowed: owners, editors, viewers or null`,
        metadata: { field: 'delta.maxInheritedRole', allowed: 'owners, editors, viewers' },
      }),
    )
  })

  it('sends on no email that cannot be one, and has nothing to take away from it', () => {
    for (const email of [`${'x'.repeat(300)}@example.com`, 'half\ud800@example.com']) {
      expect(() => readDelta({ users: { [email]: 'viewers' } })).toThrow(
        matching({ reason: 'INVALID_EMAIL' }),
      )
      expect(readDelta({ users: { [email]: null } }).changes).toEqual([])
    }
  })

  it('names at most 1000 users', () => {
    const users = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}@x`, 'viewers']))
    expect(readDelta({ users: users(1000) }).changes).toHaveLength(1000)
    expect(() => readDelta({ users: users(1001) })).toThrow('delta.users')
  })
})

describe('readOrgDelta', () => {
  it('is about users', () => {
    expect(readOrgDelta({ users: {} }).changes).toEqual([])
    for (const delta of [
      {},
      { maxInheritedRole: 'viewers' },
      { users: null, maxInheritedRole: null },
    ])
      expect(() => readOrgDelta(delta)).toThrow('Bad request: invalid permission delta')
  })
})
