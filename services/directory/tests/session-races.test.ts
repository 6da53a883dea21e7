import type { CallContext } from '@sheaf/protos/call'
import { LinkOrigin } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { eventually } from '@sheaf/testkit/eventually'
import { Client } from 'pg'
import { expectRefused, TestDirectory } from './test-directory'

describe('somebody who was only invited, and is deleted while they sign in', () => {
  let directory: TestDirectory
  let system: CallContext
  const email = 'invited@example.com'
  beforeAll(async () => {
    directory = await TestDirectory.start()
  })
  beforeEach(async () => {
    system = await directory.system()
    await directory.query(
      `insert into directory.users (kind, email, name) values ('login', $1, '')`,
      [email],
    )
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  /** Asks while the user is being deleted, which is done when the request waits for it. */
  async function askMeanwhile<T>(ask: () => Promise<T>): Promise<T> {
    const other = new Client({ connectionString: directory.config.databaseUrl })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('delete from directory.users where email = $1', [email])
      const outcome = ask()
      outcome.catch(() => {})
      await eventually(async () => {
        const { rows } = await directory.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      await other.query('commit')
      return await outcome
    } finally {
      await other.end()
    }
  }
  const usersThere = async () =>
    (await directory.query('select 1 from directory.users where email = $1', [email])).rows.length

  it('does not become a user where nobody may sign up', async () => {
    const request = { email, name: 'Invited', userAgent: '', replacedToken: '' }
    const start = () =>
      directory.clients.sessions.startSession({ ...request, mayCreateUser: false }, system)
    await expectRefused([askMeanwhile(start)], { code: 'not_found', reason: 'USER_NOT_FOUND' })
    expect(await usersThere()).toBe(0)
  })

  it('does not become a user by a link that was made for them', async () => {
    const link = { email, next: '', origin: LinkOrigin.OPERATOR }
    const { token } = await directory.clients.sessions.createSignInLink(link, system)
    const request = { token, userAgent: '', replacedToken: '' }
    const redeem = () => directory.clients.sessions.redeemSignInLink(request, system)
    await expectRefused([askMeanwhile(redeem)], { reason: 'SIGN_IN_LINK_ENDED' })
    expect(await usersThere()).toBe(0)
  })
})
