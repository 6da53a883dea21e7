import { TestDirectory, type TestUser } from './test-directory'

describe('deleting a user', () => {
  let directory: TestDirectory
  beforeAll(async () => {
    directory = await TestDirectory.start()
    await directory.addHome()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const remove = async (caller: TestUser | undefined, userId: number | string, name?: string) =>
    directory.clients.users.deleteUser({ userId: String(userId), name }, await directory.as(caller))
  const ownersOf = async (level: 'workspace' | 'document', id: number) => {
    const { rows } = await directory.query(
      `select user_id from directory.${level}_grants where ${level}_id = $1 and role = 'owners' order by 1`,
      [id],
    )
    return rows.map((row) => row.user_id)
  }

  it('takes the account, the keys and the personal org with all in it', async () => {
    const eve = await directory.addUser('eve')
    const alice = await directory.addUser('alice')
    const workspace = await directory.createWorkspace(eve, 'current')
    const docId = await directory.createDocument(eve, workspace)
    await directory.grantDocument(docId, alice, 'editors')
    expect(await remove(eve, eve.id, 'eve')).toEqual({})

    await expect(directory.resolve(eve)).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(directory.resolve(alice, { document: docId })).rejects.toMatchObject({
      code: 'not_found',
    })
    const { rows } = await directory.query(
      `select consumer, home from directory.outbox
       where doc_id = $1 and kind = 'document_deleted' order by consumer`,
      [docId],
    )
    expect(rows).toEqual([
      { consumer: 'document-data', home: 'document-data-0' },
      { consumer: 'webhook', home: 'document-data-0' },
    ])
  })

  it('is for oneself alone, and asks for the name', async () => {
    const frank = await directory.addUser('frank')
    const grace = await directory.addUser('grace')
    for (const [caller, id] of [
      [grace, frank.id],
      [undefined, frank.id],
      [undefined, 1],
      [frank, 'abc'],
      [frank, ''],
      [frank, 99_999_999],
    ] as const)
      await expect(remove(caller, id, 'frank')).rejects.toMatchObject({
        code: 'forbidden',
        message: 'not permitted to delete this user',
      })
    await expect(
      directory.clients.users.deleteUser(
        { userId: String(frank.id), name: 'frank' },
        await directory.system(),
      ),
    ).rejects.toMatchObject({ code: 'forbidden' })
    for (const name of [undefined, '', 'Frank', 'grace'])
      await expect(remove(frank, frank.id, name)).rejects.toMatchObject({
        code: 'invalid',
        metadata: { field: 'name' },
      })
    expect((await directory.resolve(frank)).caller?.userId).toBe(frank.id)
  })

  it('is refused while a team would be left without an owner', async () => {
    const heidi = await directory.addUser('heidi')
    const ivan = await directory.addUser('ivan')
    const team = await directory.createOrg(heidi, 'heidis')
    await directory.grant('org', team, ivan, 'editors')
    await expect(remove(heidi, heidi.id, 'heidi')).rejects.toMatchObject({
      code: 'conflict',
      reason: 'SOLE_OWNER',
      message: expect.stringContaining('Team heidis') as string,
    })
    expect((await directory.resolve(heidi)).caller?.userId).toBe(heidi.id)
    await directory.grant('org', team, ivan, 'owners')
    await remove(heidi, heidi.id, 'heidi')
  })

  it('hands what nobody else owns to the owners of the org, and nothing else', async () => {
    const judy = await directory.addUser('judy')
    const kim = await directory.addUser('kim')
    const lee = await directory.addUser('lee')
    const team = await directory.createOrg(kim, 'kims')
    for (const user of [judy, lee]) await directory.grant('org', team, user, 'editors')
    const closed = await directory.createWorkspace(judy, 'kims')
    await directory.query(
      `update directory.workspaces set max_inherited_role = null where id = $1`,
      [closed],
    )
    const open = await directory.createWorkspace(judy, 'kims')
    const docId = await directory.createDocument(judy, open)
    const { rows } = await directory.query(
      `update directory.documents set max_inherited_role = 'viewers' where doc_id = $1 returning id`,
      [docId],
    )
    await remove(judy, judy.id, 'judy')
    expect(await ownersOf('workspace', closed)).toEqual([kim.id])
    expect(await ownersOf('workspace', open)).toEqual([])
    expect(await ownersOf('document', Number(rows[0]?.id))).toEqual([kim.id])
    const [handedOver, lost] = ['judy role kim - owners', 'judy role judy owners -']
    expect(await directory.auditOf('workspace', closed)).toEqual([handedOver, lost])
    expect(await directory.auditOf('workspace', open)).toEqual([lost])
    expect(await directory.auditOf('document', Number(rows[0]?.id))).toEqual([handedOver, lost])
    expect(await directory.auditOf('org', team)).toEqual(['judy role judy editors -'])
  })

  it('leaves an owner when all owners of a team go at the same moment', async () => {
    const [mia, ned] = [await directory.addUser('mia'), await directory.addUser('ned')]
    const team = await directory.createOrg(mia, 'both')
    await directory.grant('org', team, ned, 'owners')
    const outcomes = await Promise.allSettled([
      remove(mia, mia.id, 'mia'),
      remove(ned, ned.id, 'ned'),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })
})
