import { randomUUID } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import type { WebhookFields } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import { newFields, people, pets, startTestWebhooks, type TestWebhooks } from './test-webhooks'

const idle = { numWaiting: 0, status: 'idle' }

describe('webhooks', () => {
  let test: TestWebhooks
  beforeAll(async () => {
    test = await startTestWebhooks()
  })
  afterAll(() => test[Symbol.asyncDispose]())
  beforeEach(() => Object.assign(test.document, { tables: [people, pets], seq: 7 }))

  it('are listed in order of creation, with defaults, and without figures before anything has happened', async () => {
    const docId = randomUUID()
    expect(await test.list(docId)).toEqual([])
    const full = {
      ...{ eventTypes: ['remove', 'add', 'add'], isReadyColumn: 'Ready', name: 'My hook' },
      ...{ memo: 'a note', authorization: 'Bearer é', enabled: false, tableId: '5' },
      ...{ hasWatchedColIds: true, watchedColIds: ['$Name', ' ', 'Ready', 'Name'] },
    }
    const made = await test.webhooks.createWebhooks(
      { docId, webhooks: [newFields(), newFields(full)] },
      await test.as(docId),
    )
    const { ids, unsubscribeKeys, triggerIds } = made
    expect(new Set([...ids, ...unsubscribeKeys]).size).toBe(4)
    expect((triggerIds[1] ?? 0) - (triggerIds[0] ?? 0)).toBe(1)
    const url = 'https://example.com/hook'
    const plain = { name: '', memo: '', authorization: '', enabled: true }
    expect(await test.list(docId)).toEqual([
      {
        id: ids[0],
        fields: {
          ...{ url, eventTypes: ['add', 'update'], tableId: 'People', ...plain },
          ...{ hasWatchedColIds: true, watchedColIds: [] },
        },
        ...{ unsubscribeKey: unsubscribeKeys[0], usage: idle },
      },
      {
        id: ids[1],
        fields: { url, ...full, tableId: 'Pets', watchedColIds: ['Name', 'Ready'] },
        ...{ unsubscribeKey: unsubscribeKeys[1], usage: idle },
      },
    ])
    expect(await test.read(ids[1] ?? '')).toMatchObject({
      ...{ table_ref: 5, ready_ref: 7, watched_refs: [6, 7], after_seq: 7 },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) as string,
    })
    const document = test.db.selectFrom('documents').select('handled_seq')
    expect(await document.where('doc_id', '=', docId).execute()).toEqual([{ handled_seq: 7 }])
  })

  it('are made all or none', async () => {
    const docId = randomUUID()
    await expect(test.create(docId, {}, { tableId: 'Nope' })).rejects.toMatchObject({
      ...{ code: 'not_found', reason: 'TABLE_NOT_FOUND', message: 'Table not found "Nope"' },
    })
    expect(await test.list(docId)).toEqual([])
    expect(await test.create(docId)).toEqual([])
  })

  it.each<[string, Partial<WebhookFields>, object]>([
    ['url is missing', { url: undefined }, { reason: 'BAD_FIELD', message: 'url is missing' }],
    ['tableId is missing', { tableId: undefined }, { message: 'tableId is missing' }],
    ['no event types', { eventTypes: [] }, { message: 'eventTypes must be a non-empty array' }],
    ['an event type is none', { eventTypes: ['add', 'drop'] }, { reason: 'BAD_FIELD' }],
    [
      'the url is forbidden',
      { url: 'http://127.0.0.1/' },
      { code: 'forbidden', reason: 'URL_FORBIDDEN' },
    ],
    ['the url is long', { url: `https://a.example/${'x'.repeat(2000)}` }, { reason: 'BAD_FIELD' }],
    ['the name is long', { name: 'x'.repeat(1025) }, { reason: 'BAD_FIELD' }],
    ['the memo is long', { memo: 'x'.repeat(4097) }, { reason: 'BAD_FIELD' }],
    ['the name has NUL', { name: 'a\0' }, { reason: 'BAD_FIELD' }],
    [
      'there are too many event types',
      { eventTypes: Array<string>(11).fill('add') },
      { reason: 'BAD_FIELD' },
    ],
    [
      'authorization would split the header',
      { authorization: 'a\r\nX: b' },
      { reason: 'BAD_FIELD' },
    ],
    ['authorization cannot be in a header', { authorization: '€' }, { reason: 'BAD_FIELD' }],
    [
      'the ready column is not there',
      { isReadyColumn: 'Nope' },
      { reason: 'COLUMN_NOT_FOUND', message: 'Column not found "Nope"' },
    ],
    [
      'a watched column is not there',
      { hasWatchedColIds: true, watchedColIds: ['Nope'] },
      { code: 'not_found', reason: 'COLUMN_NOT_FOUND' },
    ],
  ])('are refused when %s', async (_, fields, error) => {
    const docId = randomUUID()
    await expect(test.create(docId, fields)).rejects.toMatchObject(error)
    expect(await test.list(docId)).toEqual([])
  })

  it('are limited in number', async () => {
    const docId = randomUUID()
    const ids = await test.create(docId, ...Array<object>(200).fill({}))
    expect((await test.list(docId)).map(({ id }) => id)).toEqual(ids)
    const tooMany = { code: 'too_many', reason: 'TOO_MANY_WEBHOOKS' }
    await expect(test.create(docId, {})).rejects.toMatchObject(tooMany)
    await expect(test.create(randomUUID(), ...Array<object>(201).fill({}))).rejects.toMatchObject(
      tooMany,
    )
  })

  it('follow what is renamed, and show nothing of what is gone', async () => {
    const docId = randomUUID()
    const watched = { hasWatchedColIds: true, watchedColIds: ['Name', 'Age'] }
    await test.create(docId, { isReadyColumn: 'Ready', ...watched })
    const show = async () => {
      const [webhook] = await test.list(docId)
      const { tableId, isReadyColumn, watchedColIds } = webhook?.fields ?? {}
      return [tableId, isReadyColumn, watchedColIds]
    }
    test.document.tables = [{ ref: 1, id: 'Folk', columns: { 2: 'Title', 3: 'Go' } }]
    expect(await show()).toEqual(['Folk', 'Go', ['Title']])
    test.document.tables = [{ ref: 1, id: 'Folk', columns: {} }]
    expect(await show()).toEqual(['Folk', undefined, []])
    test.document.tables = []
    expect(await show()).toEqual([undefined, undefined, []])
  })

  it('change in the fields that are given, and no other', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId, {
      name: 'a',
      memo: 'b',
      authorization: 'c',
      isReadyColumn: 'Ready',
    })
    const before = await test.read(id)
    await test.change(docId, id, {})
    expect(await test.read(id)).toEqual(before)
    await test.change(docId, id, { name: 'x' })
    expect(await test.read(id)).toEqual({ ...before, name: 'x' })
    await test.change(docId, id, { name: '', memo: '', authorization: '' })
    expect(await test.read(id)).toMatchObject({ name: '', memo: '', authorization: '' })
    await test.change(docId, id, { hasWatchedColIds: true, watchedColIds: ['Age'] })
    expect(await test.read(id)).toMatchObject({ watched_refs: [4], ready_ref: 3 })
    await test.change(docId, id, {
      isReadyColumn: '',
      eventTypes: ['remove'],
      url: 'https://b.example/',
    })
    expect(await test.read(id)).toMatchObject({
      ...{ watched_refs: [4], ready_ref: null, event_types: ['remove'] },
      ...{ url: 'https://b.example/', after_seq: 7 },
    })
  })

  it('keep their columns with the same table, and lose them with another unless they are named anew', async () => {
    const docId = randomUUID()
    const watched = { hasWatchedColIds: true, watchedColIds: ['Name'] }
    const id = await test.createOne(docId, { isReadyColumn: 'Ready', ...watched })
    test.document.seq = 9
    await test.change(docId, id, { tableId: 'People' })
    expect(await test.read(id)).toMatchObject({
      table_ref: 1,
      ready_ref: 3,
      watched_refs: [2],
      after_seq: 7,
    })
    await test.change(docId, id, { tableId: 'Pets', ...watched })
    expect(await test.read(id)).toMatchObject({
      table_ref: 5,
      ready_ref: null,
      watched_refs: [6],
      after_seq: 9,
    })
    await test.change(docId, id, { tableId: 'People' })
    expect(await test.read(id)).toMatchObject({ table_ref: 1, ready_ref: null, watched_refs: [] })
  })

  it('whose columns are named as of an entry that has been handled follow what came after it', async () => {
    const docId = randomUUID()
    const [id = '', other = ''] = await test.create(docId, {}, {})
    await test.setHandled(docId, 9)
    await test.change(docId, id, { isReadyColumn: 'Ready' })
    expect(await test.read(id)).toMatchObject({ ready_ref: 3, refs_seq: 7, after_seq: 9 })
    expect(await test.read(other)).toMatchObject({ refs_seq: 9, after_seq: 9 })
    expect(await test.readHandled(docId)).toBe(7)
  })

  it('lose the columns that are gone already when another one is named', async () => {
    const docId = randomUUID()
    const watched = { hasWatchedColIds: true, watchedColIds: ['Name', 'Age'] }
    const id = await test.createOne(docId, watched)
    const columns = { 2: 'Name', 3: 'Ready' }
    Object.assign(test.document, { tables: [{ ...people, columns }], seq: 8 })
    await test.change(docId, id, { isReadyColumn: 'Ready' })
    expect(await test.read(id)).toMatchObject({ watched_refs: [2], refs_seq: 8 })
  })

  it('stay as they are when a change is refused, and the field at fault is named', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId)
    const before = await test.read(id)
    const refused: [Partial<WebhookFields>, string][] = [
      [{ tableId: 'Nope' }, 'TABLE_NOT_FOUND'],
      [{ isReadyColumn: 'Nope' }, 'COLUMN_NOT_FOUND'],
      [{ watchedColIds: ['Nope'], hasWatchedColIds: true }, 'COLUMN_NOT_FOUND'],
      [{ authorization: '€' }, 'BAD_FIELD'],
      [{ url: '' }, 'URL_FORBIDDEN'],
      [{ eventTypes: ['drop'] }, 'BAD_FIELD'],
    ]
    for (const [fields, reason] of refused)
      await expect(test.change(docId, id, { name: 'x', ...fields })).rejects.toMatchObject({
        reason,
        metadata: { field: Object.keys(fields)[0] },
      })
    expect(await test.read(id)).toEqual(before)
  })

  it('that are not there, or of another document, are not found', async () => {
    const docId = randomUUID()
    const id = await test.createOne(docId)
    const other = randomUUID()
    await test.create(other, {})
    for (const [doc, webhookId] of [
      [docId, 'nosuchhook'],
      [docId, randomUUID()],
      [other, id],
    ] as const) {
      const ref = { docId: doc, webhookId }
      const call = await test.as(doc)
      const error = {
        ...{ code: 'not_found', reason: 'WEBHOOK_NOT_FOUND' },
        message: `Webhook not found "${webhookId}"`,
      }
      await expect(test.change(doc, webhookId, { name: 'x' })).rejects.toMatchObject(error)
      await expect(test.change(doc, webhookId, { enabled: false })).rejects.toMatchObject(error)
      await expect(test.webhooks.deleteWebhook(ref, call)).rejects.toMatchObject(error)
      await expect(test.webhooks.getSecret(ref, call)).rejects.toMatchObject(error)
      await expect(test.webhooks.rotateSecret(ref, call)).rejects.toMatchObject(error)
      expect(await test.webhooks.clearQueue(ref, call)).toEqual({})
    }
    expect(await test.list(docId)).toHaveLength(1)
  })

  it('are deleted by an editor who shows the key, and by an owner without one', async () => {
    const docId = randomUUID()
    const made = await test.webhooks.createWebhooks(
      { docId, webhooks: [newFields(), newFields()] },
      await test.as(docId),
    )
    const [webhookId = '', other = ''] = made.ids
    const [unsubscribeKey = '', otherKey = ''] = made.unsubscribeKeys
    const editor = await test.as(docId, { role: 'editors' })
    const remove = (key: string | undefined, call: object, id = webhookId) =>
      test.webhooks.deleteWebhook({ docId, webhookId: id, unsubscribeKey: key }, call)
    await expect(remove(undefined, editor)).rejects.toMatchObject({
      ...{ code: 'invalid', message: 'Bad request: unsubscribeKey required' },
    })
    for (const wrong of ['x', otherKey])
      await expect(remove(wrong, editor)).rejects.toMatchObject({
        ...{ code: 'unauthenticated', reason: 'WRONG_UNSUBSCRIBE_KEY' },
      })
    await expect(remove(otherKey, editor, 'zz')).rejects.toMatchObject({ code: 'not_found' })
    const viewer = await test.as(docId, { role: 'viewers' })
    await expect(remove(unsubscribeKey, viewer)).rejects.toMatchObject({ code: 'forbidden' })
    expect(await test.list(docId)).toHaveLength(2)
    await remove(unsubscribeKey, editor)
    await remove(undefined, await test.as(docId), other)
    expect(await test.list(docId)).toEqual([])
  })

  it('have a secret, and another one on request, beside which the first is good for a day', async () => {
    const docId = randomUUID()
    const ref = { docId, webhookId: await test.createOne(docId) }
    const call = await test.as(docId)
    const { secret: first } = await test.webhooks.getSecret(ref, call)
    expect(Buffer.from(first.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    expect(await test.webhooks.getSecret(ref, call)).toEqual({ secret: first })

    const { secret } = await test.webhooks.rotateSecret(ref, call)
    expect(secret).not.toBe(first)
    const both = await test.webhooks.getSecret(ref, call)
    expect(both).toMatchObject({ secret, previousSecret: first })
    const left = (both.previousUntil ?? 0) - Date.now()
    expect(Math.abs(left - 24 * 3_600_000)).toBeLessThan(60_000)

    await test.set(ref.webhookId, { previous_secret_until: new Date(Date.now() - 1000) })
    expect(await test.webhooks.getSecret(ref, call)).toEqual({ secret })
  })

  it('are for owners of the document alone, and for keys that may write', async () => {
    const docId = randomUUID()
    const webhookId = await test.createOne(docId)
    const scope = { readOnly: true, orgs: [], workspaces: [], documents: [] }
    for (const [call, reason] of [
      [await test.as(docId, { role: 'editors' }), 'ACCESS_DENIED'],
      [await test.as(docId, { role: 'viewers' }), 'ACCESS_DENIED'],
      [await test.as(randomUUID()), 'ACCESS_DENIED'],
      [await test.as(docId, { scope }), 'KEY_SCOPE'],
    ] as const) {
      const { webhooks } = test
      const ref = { docId, webhookId }
      for (const refused of [
        webhooks.listWebhooks({ docId }, call),
        webhooks.createWebhooks({ docId, webhooks: [newFields()] }, call),
        webhooks.updateWebhook({ ...ref, fields: newFields() }, call),
        webhooks.clearQueue({ docId, webhookId: '' }, call),
        webhooks.getSecret(ref, call),
        webhooks.rotateSecret(ref, call),
      ])
        await expect(refused).rejects.toMatchObject({ code: 'forbidden', reason })
    }
    expect(await test.list(docId)).toHaveLength(1)
  })

  it('are looked up again at another home of the document, and refused while it has none', async () => {
    const docId = randomUUID()
    test.failures.push(new AppError('precondition', 'WRONG_HOME', 'not here'))
    const id = await test.createOne(docId)
    const away = () => new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'away')
    const stay = () => test.failures.push(...Array.from({ length: 50 }, away))
    stay()
    await expect(test.list(docId)).rejects.toMatchObject({ code: 'unavailable' })
    await expect(test.create(docId, {})).rejects.toMatchObject({ code: 'unavailable' })
    await expect(test.change(docId, id, { enabled: true })).rejects.toMatchObject({
      code: 'unavailable',
    })
    // What has nothing to do with tables needs no document-data.
    await test.change(docId, id, { name: 'x', enabled: false })
    expect(test.failures.splice(0)).not.toHaveLength(0)
    expect((await test.list(docId)).map(({ fields }) => fields?.name)).toEqual(['x'])
  })
})
