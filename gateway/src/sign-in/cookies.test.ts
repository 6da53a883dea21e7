import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Cookies, type SecuritySettings } from './cookies'

function cookiesOf(
  headers: Record<string, string>,
  settings: Partial<SecuritySettings> = {},
): Cookies {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, headers)
  return new Cookies(request, { proxies: 0, ...settings })
}

describe('cookies', () => {
  it('are for this host alone when the browser came by TLS, as the public address or a proxy says', () => {
    for (const cookies of [
      cookiesOf({}, { publicUrl: 'https://sheaf.example' }),
      cookiesOf({ 'x-forwarded-proto': 'http, https' }, { proxies: 1 }),
    ])
      expect(cookies.write('a', 'b', 60)).toBe(
        '__Host-a=b; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
      )
  })

  it('go by plain HTTP otherwise, whatever a client claims', () => {
    for (const cookies of [
      cookiesOf({}),
      cookiesOf({ 'x-forwarded-proto': 'https' }),
      cookiesOf({ 'x-forwarded-proto': 'https, http' }, { proxies: 1 }),
      cookiesOf({}, { publicUrl: 'http://sheaf.example' }),
    ])
      expect(cookies.write('a', 'b', 60)).toBe('a=b; Max-Age=60; Path=/; HttpOnly; SameSite=Lax')
  })

  it('are read as they were written, by TLS under no other name', () => {
    const cookie = 'x=1; sheaf_session=shs_plain; __Host-sheaf_session=shs_secure'
    expect(cookiesOf({ cookie }).session).toBe('shs_plain')
    expect(cookiesOf({ cookie }, { publicUrl: 'https://sheaf.example' }).session).toBe('shs_secure')
    expect(cookiesOf({ cookie: 'sheaf_session=' }).session).toBeUndefined()
    expect(cookiesOf({ cookie: `sheaf_session=${'x'.repeat(5000)}` }).session).toBeUndefined()
    expect(cookiesOf({}).session).toBeUndefined()
  })

  it('of a session last as long as it can', () => {
    const inAnHour = new Date(Date.now() + 3_600_500)
    expect(cookiesOf({}).keepSession('shs_x', inAnHour)).toMatch(
      /^sheaf_session=shs_x; Max-Age=3600;/,
    )
    expect(cookiesOf({}).forgetSession()).toMatch(/^sheaf_session=; Max-Age=0;/)
  })
})
