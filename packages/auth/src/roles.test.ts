import { roleAtLeast, roleFromWire, roleToWire, type RoleName } from './roles'

describe('roles', () => {
  it('include those below them', () => {
    expect(roleAtLeast('owners', 'viewers')).toBe(true)
    expect(roleAtLeast('editors', 'editors')).toBe(true)
    expect(roleAtLeast('viewers', 'editors')).toBe(false)
  })

  it('allow nothing where there is none, or only membership', () => {
    for (const role of [undefined, 'members', 'guests'] as const)
      expect(roleAtLeast(role, 'viewers')).toBe(false)
  })

  it('cross the wire and come back', () => {
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
