import { TestDirectory, type TestUser } from './test-directory'

describe('the profile', () => {
  let directory: TestDirectory
  let alice: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    alice = await directory.addUser('alice')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  it('tells users who they are', async () => {
    const { profile } = await directory.clients.profile.getProfile({}, await directory.as(alice))
    expect(profile).toEqual({
      id: alice.id,
      email: 'alice@example.com',
      name: 'alice',
      picture: undefined,
      anonymous: false,
    })
  })

  it('of somebody without a key is the anonymous user', async () => {
    const { profile } = await directory.clients.profile.getProfile({}, await directory.as())
    expect(profile).toMatchObject({ id: 1, name: 'Anonymous', anonymous: true })
  })

  it('can be given another name, which tokens made from then on have', async () => {
    const { profile } = directory.clients
    const call = await directory.as(alice)
    expect(await profile.updateProfile({ name: 'Alice Liddell' }, call)).toMatchObject({
      profile: { name: 'Alice Liddell' },
    })
    expect((await directory.resolve(alice)).caller?.name).toBe('Alice Liddell')
    expect(await profile.updateProfile({}, call)).toMatchObject({
      profile: { name: 'Alice Liddell' },
    })
  })

  it.each(['  ', 'x'.repeat(257), 'line\nbreak'])('keeps its name when given %j', async (name) => {
    const call = await directory.as(alice)
    await expect(directory.clients.profile.updateProfile({ name }, call)).rejects.toMatchObject({
      code: 'invalid',
      reason: 'INVALID_NAME',
      metadata: { field: 'name' },
    })
  })

  it('of the anonymous user, and of a scoped key, cannot be changed', async () => {
    const { profile } = directory.clients
    const change = { name: 'Mallory' }
    await expect(profile.updateProfile(change, await directory.as())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    const scoped = await directory.withScope(alice, { readOnly: true })
    const call = await directory.as(scoped)
    await expect(profile.updateProfile(change, call)).rejects.toMatchObject({
      reason: 'KEY_SCOPE',
    })
    expect((await profile.getProfile({}, call)).profile?.id).toBe(alice.id)
  })
})
