import { useSystem } from '../support/system'

const system = useSystem()

describe('the profile', () => {
  it('tells who the key belongs to', async () => {
    const { dan } = system
    expect((await dan.rest.get('/api/profile/user')).body).toEqual({
      id: dan.id,
      email: dan.email,
      loginEmail: dan.email,
      name: 'Dan',
      picture: null,
    })
    expect((await system.anonymous.get('/api/profile/user')).body).toMatchObject({
      name: 'Anonymous',
      anonymous: true,
    })
  })

  it('takes another name, which others see at once', async () => {
    const { dan } = system
    const renamed = await dan.rest.post('/api/profile/user/name', { body: { name: 'Daniel' } })
    expect(renamed).toMatchObject({ status: 200, text: 'OK' })
    expect(renamed.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await dan.rest.get('/api/profile/user')).body).toMatchObject({ name: 'Daniel' })
    const orgs = await dan.rest.get<{ owner: { name: string } }[]>('/api/orgs')
    expect(orgs.body[0]?.owner.name).toBe('Daniel')
  })

  it.each([{}, { name: '' }, { name: null }])('needs a name to change to: %j', async (body) => {
    const refused = await system.dan.rest.post('/api/profile/user/name', { body })
    expect(refused).toMatchObject({ status: 400, body: { error: 'Name expected in the body' } })
  })

  it('of nobody cannot be changed', async () => {
    const refused = await system.anonymous.post('/api/profile/user/name', { body: { name: 'X' } })
    expect(refused).toMatchObject({ status: 401, body: { details: { reason: 'SIGN_IN_NEEDED' } } })
  })
})
