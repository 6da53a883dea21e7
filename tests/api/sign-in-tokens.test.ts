import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { Browser } from '../support/browser'
import { ownPort } from '../support/own-port'
import { TokenProvider, type TokenAnswer } from '../support/token-provider'

let sheaf: RunningSheaf
let provider: TokenProvider
beforeAll(async () => {
  const port = await ownPort()
  provider = await TokenProvider.start(`http://127.0.0.1:${port}`)
  sheaf = await startSheaf({ env: { ...provider.env, SHEAF_PORT: String(port) } })
})
afterAll(async () => {
  await sheaf?.[Symbol.asyncDispose]()
  await provider?.[Symbol.asyncDispose]()
})

/** Signs in with this answer of the provider; returns the status, and whether there is a session. */
async function signIn(answer: TokenAnswer) {
  provider.answer = answer
  const browser = new Browser(sheaf.url)
  const begun = await browser.open('/sign-in/oidc')
  const atProvider = await browser.open(begun.location ?? '')
  const { status } = await browser.open(atProvider.location ?? '')
  return { status, hasSession: browser.cookie('sheaf_session') !== undefined }
}

const signedIn = { status: 303, hasSession: true }
const refused = { status: 403, hasSession: false }
const now = () => Math.floor(Date.now() / 1000)

describe('the ID token of an identity provider', () => {
  it('signs its user in when it is valid', async () => {
    expect(await signIn({})).toEqual(signedIn)
    const userInfo = { sub: 'erin', email: 'erin@example.com', email_verified: true }
    expect(await signIn({ claims: { email: undefined }, userInfo })).toEqual(signedIn)
  })

  it('is refused when another key signed it, or nobody', async () => {
    expect(await signIn({ isForged: true })).toEqual(refused)
    expect(await signIn({ isForged: true, header: { alg: 'RS256', kid: 'other' } })).toEqual(
      refused,
    )
    expect(await signIn({ header: { alg: 'none' } })).toEqual(refused)
  })

  it('is refused when it has expired, and is no failure of the provider', async () => {
    expect(await signIn({ claims: { iat: now() - 7200, exp: now() - 3600 } })).toEqual(refused)
  })

  it('is refused with the user info of somebody else', async () => {
    const userInfo = { sub: 'dan', email: 'dan@example.com', email_verified: true }
    expect(await signIn({ claims: { email: undefined }, userInfo })).toEqual(refused)
  })

  it('is refused for another client, issuer or attempt', async () => {
    for (const claims of [{ aud: 'other' }, { iss: 'http://other.example' }, { nonce: 'other' }])
      expect(await signIn({ claims })).toEqual(refused)
  })
})
