import { csrfTokenOf } from '../src/sign-in/csrf'
import { routes } from '../src/routes'
import { sendRequest, type HttpReply } from './support/http-request'
import { startStubbedGateway, type StubbedGateway } from './support/stub-services'

let system: StubbedGateway
beforeAll(async () => {
  system = await startStubbedGateway()
})
afterAll(() => system[Symbol.asyncDispose]())

const session = `shs_${'a'.repeat(43)}`
const writes = routes.filter(({ method, access }) => method !== 'get' && access !== 'form')
/** Their key is in the path, and they use no cookie. */
const formWrites = routes.filter(({ method, access }) => method !== 'get' && access === 'form')
/** What a page of another site can make a browser send, and what it could if it were let. */
const forms: readonly Record<string, string>[] = [
  {},
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': 'application/json', 'x-requested-with': 'XMLHttpRequest' },
  { 'content-type': 'application/json', 'x-csrf-token': csrfTokenOf(`${session}b`) },
]

async function askAll(
  paths: (path: string) => string,
  { asked = writes, cookie = `sheaf_session=${session}` } = {},
): Promise<Map<string, string>> {
  const reasons = new Map<string, string>()
  for (const { method, path } of asked)
    for (const form of forms) {
      const headers = { cookie, ...form }
      const url = system.url + paths(path.replaceAll(/\{\w+\}/g, '1'))
      const reply = await sendRequest(url, { method: method.toUpperCase(), headers })
      reasons.set(`${method} ${path} ${JSON.stringify(form)}`, `${reply.status} ${reasonOf(reply)}`)
    }
  return reasons
}

const reasonOf = ({ body }: HttpReply) =>
  (body as { details?: { reason?: string } }).details?.reason ?? ''

describe('a write by the cookie of a session without the token of its page', () => {
  it.each([
    ['as they stand', (path: string) => path],
    ['of a site', (path: string) => `/o/team${path}`],
    ['with a slash at their end', (path: string) => `${path}/`],
  ])('is refused by all routes, %s, in whatever form it comes', async (_how, paths) => {
    const reasons = await askAll(paths)
    expect(reasons.size).toBeGreaterThan(300)
    const others = [...reasons].filter(([, reason]) => reason !== '401 CSRF_TOKEN_NEEDED')
    expect(others).toEqual([])
  })
})

describe('a row of a form', () => {
  it('is added in the same way with the cookie of a session as without', async () => {
    const ask = (cookie: string) => askAll((path) => path, { asked: formWrites, cookie })
    const reasons = await ask(`sheaf_session=${session}`)
    expect(reasons.size).toBe(forms.length)
    expect([...reasons.values()]).not.toContain('401 CSRF_TOKEN_NEEDED')
    expect(reasons).toEqual(await ask('other=1'))
  })
})
