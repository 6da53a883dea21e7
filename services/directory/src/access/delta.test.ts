import type { RoleName } from '@sheaf/auth/roles'
import { MAX_CHANGES, requireDelta, type Level } from './delta'

/** An error with these fields among others; jest's own matcher has no type. */
const matching = (fields: object) => expect.objectContaining(fields) as unknown as Error

const one = (level: Level, email: string, role: RoleName | undefined) =>
  requireDelta(level, [{ email, role }], undefined)

describe('requireDelta', () => {
  it('compares emails in lower case, without trimming', () => {
    expect([...one('org', 'Bob@Example.COM', 'viewers').roles]).toEqual([
      ['bob@example.com', 'viewers'],
    ])
    expect(() => one('org', ' bob@example.com', 'viewers')).toThrow('Invalid email')
  })

  it('merges what differs in case only to the strongest role', () => {
    const { roles } = requireDelta(
      'document',
      [
        { email: 'Bob@x.org', role: 'viewers' },
        { email: 'bob@x.org', role: 'editors' },
        { email: 'BOB@x.org', role: undefined },
      ],
      undefined,
    )
    expect([...roles]).toEqual([['bob@x.org', 'editors']])
  })

  it('knows which roles can be given where', () => {
    for (const role of ['owners', 'editors', 'viewers'] as const)
      for (const level of ['org', 'workspace', 'document'] as const)
        expect(one(level, 'b@x', role).roles.get('b@x')).toBe(role)
    expect(one('org', 'b@x', 'members').roles.get('b@x')).toBe('members')
    for (const level of ['workspace', 'document'] as const)
      expect(() => one(level, 'b@x', 'members')).toThrow('Invalid user role members')
    for (const level of ['org', 'workspace', 'document'] as const)
      expect(() => one(level, 'b@x', 'guests')).toThrow('Invalid user role guests')
  })

  it.each(['nobody', 'a b@x', 'two@at@signs', '', 'nul\0@x.org', `${'x'.repeat(250)}@example.com`])(
    'refuses a role for %j, and has nothing to take away from it',
    (email) => {
      expect(() => one('org', email, 'viewers')).toThrow(
        matching({ reason: 'INVALID_EMAIL', metadata: expect.anything() as object }),
      )
      expect(one('org', email, undefined).roles.size).toBe(0)
    },
  )

  it('takes a cap below the org only, and only one that can come down', () => {
    for (const cap of ['owners', 'editors', 'viewers', null] as const)
      expect(requireDelta('workspace', [], cap).cap).toBe(cap)
    expect(requireDelta('workspace', [], undefined).cap).toBeUndefined()
    expect(() => requireDelta('org', [], 'viewers')).toThrow('invalid permission delta')
    for (const cap of ['members', 'guests'] as const)
      expect(() => requireDelta('document', [], cap)).toThrow(`Invalid maxInheritedRole ${cap}`)
  })

  it('names at most so many users', () => {
    const users = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ email: `u${i}@x`, role: 'viewers' as const }))
    expect(requireDelta('org', users(MAX_CHANGES), undefined).roles.size).toBe(MAX_CHANGES)
    expect(() => requireDelta('org', users(MAX_CHANGES + 1), undefined)).toThrow('delta.users')
  })
})
