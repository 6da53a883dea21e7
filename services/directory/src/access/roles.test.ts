import { effectiveRole, inheritedRole, strongerRole, type DirectRole, type RoleCap } from './roles'

const org = (...direct: DirectRole[]) => ({ direct, cap: null as RoleCap })
const child = (cap: RoleCap, ...direct: DirectRole[]) => ({ direct, cap })

describe('roles', () => {
  it('come down from the org to the document', () => {
    expect(effectiveRole([org('editors'), child('owners'), child('owners')])).toBe('editors')
  })

  it('are cut by the cap of each level', () => {
    expect(effectiveRole([org('owners'), child('editors'), child('owners')])).toBe('editors')
    expect(effectiveRole([org('owners'), child('owners'), child('viewers')])).toBe('viewers')
    expect(effectiveRole([org('viewers'), child('editors'), child('owners')])).toBe('viewers')
    expect(effectiveRole([org('owners'), child('owners'), child(null)])).toBeUndefined()
  })

  it('are the better of the direct and the inherited one', () => {
    expect(effectiveRole([org('viewers'), child('owners', 'editors')])).toBe('editors')
    expect(effectiveRole([org('owners'), child('owners', 'viewers')])).toBe('owners')
    expect(effectiveRole([org('owners'), child(null, 'viewers')])).toBe('viewers')
  })

  it('count whoever gave them', () => {
    expect(effectiveRole([org('viewers', 'editors')])).toBe('editors')
  })

  it('do not come down for members', () => {
    expect(inheritedRole('members', 'owners')).toBeUndefined()
    expect(effectiveRole([org('members')])).toBe('members')
  })

  it('are absent where nobody gave one', () => {
    expect(effectiveRole([org(), child('owners'), child('owners')])).toBeUndefined()
    expect(strongerRole(undefined, 'members')).toBe('members')
  })
})
