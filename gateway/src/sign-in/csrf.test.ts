import { csrfTokenOf, isCsrfToken } from './csrf'

describe('the token of a page', () => {
  it('belongs to one secret, and tells nothing of it', () => {
    const token = csrfTokenOf('shs_one')
    expect(isCsrfToken(token, 'shs_one')).toBe(true)
    expect(isCsrfToken(token, 'shs_two')).toBe(false)
    expect(isCsrfToken('', 'shs_one')).toBe(false)
    expect(isCsrfToken('shs_one', 'shs_one')).toBe(false)
    expect(token).not.toContain('shs_one')
  })
})
