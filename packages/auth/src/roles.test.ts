import { roleAtLeast, roleFromWire, roleToWire, type RoleName } from './roles'

describe('roles', () => {
  it('include the weaker roles', () => {
    expect(roleAtLeast('owners', 'viewers')).toBe(true)
    expect(roleAtLeast('editors', 'editors')).toBe(true)
    expect(roleAtLeast('viewers', 'editors')).toBe(false)
  })

  it('permit nothing without a role, or as a member or guest', () => {
    for (const role of [undefined, 'members', 'guests'] as const)
      expect(roleAtLeast(role, 'viewers')).toBe(false)
  })

  it('survive conversion to the wire format and back', () => {
    const names: (RoleName | undefined)[] = [
      'owners',
      'editors',
      'viewers',
      'members',
      'guests',
      undefined,
    ]
    for (const name of names) expect(roleFromWire(roleToWire(name))).toBe(name)
  })
})
