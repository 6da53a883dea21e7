import { eventually } from '@sheaf/testkit/eventually'
import type { Rest } from '@sheaf/testkit/rest'
import type { RunningSheaf } from '@sheaf/testkit/sheaf'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { Webhook } from 'standardwebhooks'
import type { Page } from 'playwright-core'
import { addRecords, addTable, newDocument } from '../support/system'
import { addWebhook, allowLoopback, headersOf, type RestWebhook } from '../support/webhooks'
import { findUrl, findViolations, patience, signIn, useChromium, type Visit } from './chromium'

const { visit, openOwnDesk } = useChromium()
let sheaf: RunningSheaf
let receiver: WebhookReceiver
let desk: Visit
let page: Page
let rest: Rest
let doc: string
/** URL of the webhooks. */
let address: string
beforeAll(async () => {
  receiver = await startReceiver()
  ;({ sheaf, desk, page, rest } = await openOwnDesk(allowLoopback))
  doc = await newDocument(rest, 'Flowers')
  await addTable(rest, doc, 'Beds', { Name: 'Text', Size: 'Int', Done: 'Bool' })
  address = `${await findUrl(sheaf, rest, doc)}/webhooks`
})
afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]()
})

const listed = async () =>
  (await rest.get<{ webhooks: RestWebhook[] }>(`${doc}/webhooks`)).body.webhooks
const button = (name: string) => page.getByRole('button', { name, exact: true })
const dialog = () => page.getByRole('dialog')
const choose = async (item: string) => {
  await page.getByRole('button', { name: /^More actions for (?!table)/ }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
/** A response in place of that of Sheaf, as during a short outage. */
const refusal = { status: 400, json: { error: 'temporarily unavailable' } }
/** Errors in the console of the browser, except for rejected requests, which the pages show. */
const faults = () => desk.faults.filter((fault) => !/status of 40[039]/.test(fault))

describe('webhooks', () => {
  it('are created, with errors shown at their fields', async () => {
    await page.goto(address)
    await page.getByText('No webhooks yet').waitFor()
    await page.getByRole('link', { name: 'New webhook' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Gardeners')
    const url = page.getByLabel('URL')
    await url.fill('http://10.0.0.1/')
    await page.getByLabel('Table', { exact: true }).selectOption('Beds')
    await page.getByLabel('Ready column').selectOption('Done')
    await page.getByRole('checkbox', { name: 'Size', exact: true }).check()
    await page.getByLabel('Memo').fill('Tells them what to water.')
    await button('Create webhook').click()
    await page.getByRole('alert').getByText('Provided url is forbidden').waitFor()
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    expect(await url.and(page.locator(':focus')).count()).toBe(1)
    await url.fill(`${receiver.url}/beds`)
    await page.getByRole('checkbox', { name: 'rows added' }).uncheck()
    await page.getByRole('checkbox', { name: 'rows changed' }).uncheck()
    await button('Create webhook').click()
    await page.getByRole('alert').getByText('eventTypes must be a non-empty array').waitFor()
    await page.getByRole('checkbox', { name: 'rows added' }).check()
    await page.getByRole('checkbox', { name: 'rows changed' }).check()
    expect(await findViolations(page)).toEqual([])
    await button('Create webhook').click()
    await page.getByRole('heading', { name: 'Gardeners' }).waitFor()
    await page.getByText('Active').waitFor()
    const [made] = await listed()
    expect(page.url()).toBe(`${address}/${made?.id}`)
    expect(made?.fields).toMatchObject({
      ...{ name: 'Gardeners', url: `${receiver.url}/beds`, tableId: 'Beds' },
      ...{ isReadyColumn: 'Done', watchedColIds: ['Size'], memo: 'Tells them what to water.' },
    })
    expect([...(made?.fields.eventTypes as string[])].sort()).toEqual(['add', 'update'])
    expect(faults()).toEqual([])
  })

  it('show deliveries live, and send one again', async () => {
    await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Roses', Size: 3, Done: true }])
    await eventually(() => receiver.rows('/beds').length === 1)
    await page.getByText('Delivered').waitFor()
    await page.getByRole('button', { name: /^Details of delivery/ }).click()
    await dialog().getByText('1 (add)').waitFor()
    expect(await findViolations(page)).toEqual([])
    await dialog().getByRole('button', { name: 'Send again' }).click()
    await eventually(() => receiver.rows('/beds').length === 2)
    await dialog().getByText('Manual').waitFor()
    await dialog()
      .getByRole('link', { name: /^Change \d+$/ })
      .click()
    await page.getByText('added row 1 to Beds').waitFor()
    await page.goBack()
  })

  it('are tested with a sample event, whose result is shown', async () => {
    receiver.answer = () => ({ status: 503, body: 'come back later' })
    await button('Send test').click()
    await dialog().getByText('Delivery failed: HTTP status 503.').waitFor()
    await dialog().getByText('come back later').waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    receiver.answer = () => ({})
    await button('Send test').click()
    await dialog().getByText('responded with status 200').waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    await page.getByText('Failed').waitFor()
    const tests = page.getByRole('row').filter({ hasText: '(test)' })
    await eventually(async () => expect(await tests.count()).toBe(2), patience)
  })

  it('show their secret on request, and get a new one in addition to the old one', async () => {
    await button('Show secret').click()
    const shown = page.getByRole('textbox', { name: 'secret', exact: true })
    const old = await shown.innerText()
    expect(old).toMatch(/^whsec_/)
    await button('New secret').click()
    await dialog().getByRole('button', { name: 'Create secret' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('also signed with the previous secret').waitFor()
    const secret = await shown.innerText()
    expect(secret).not.toBe(old)
    const before = receiver.deliveries.length
    await button('Send test').click()
    await dialog().getByText('responded with status 200').waitFor()
    await dialog().getByRole('button', { name: 'Done' }).click()
    const delivery = receiver.deliveries[before]
    if (!delivery) throw new Error('no delivery was received')
    for (const key of [secret, old]) new Webhook(key).verify(delivery.body, headersOf(delivery))
    await button('Hide secret').click()
    await shown.waitFor({ state: 'detached' })
  })

  it('keep their old secret if the new one cannot be shown', async () => {
    const path = `${doc}/webhooks/${(await listed())[0]?.id}/secret`
    const { secret } = (await rest.get<{ secret: string }>(path)).body
    await page.route('**/secret', (route) =>
      route.request().method() === 'GET' ? route.fulfill(refusal) : route.continue(),
    )
    await button('New secret').click()
    await dialog().getByRole('button', { name: 'Create secret' }).click()
    await dialog().waitFor({ state: 'detached' })
    const toast = page.getByRole('status').locator('div', { hasText: refusal.json.error })
    await toast.waitFor()
    await page.unrouteAll()
    const { previousSecret } = (await rest.get<{ previousSecret: string }>(path)).body
    expect(previousSecret).toBe(secret)
    await toast.getByRole('button', { name: 'Dismiss' }).click()
  })

  it('hide the secret of one webhook when going back to another', async () => {
    const fields = { name: 'Other', url: `${receiver.url}/other`, tableId: 'Beds' }
    const id = await addWebhook(rest, doc, fields)
    await page.getByRole('link', { name: 'All webhooks' }).click()
    await page.getByRole('link', { name: 'Other' }).click()
    await button('Show secret').click()
    const shown = page.getByRole('textbox', { name: 'secret', exact: true })
    await shown.waitFor()
    await page.evaluate('history.go(-2)')
    await page.getByRole('heading', { name: 'Gardeners' }).waitFor()
    expect(await shown.count()).toBe(0)
    expect((await rest.delete(`${doc}/webhooks/${id}`)).status).toBe(200)
  })

  it('are not cached after their page is left', async () => {
    await page.getByRole('link', { name: 'SQL', exact: true }).click()
    await page.getByRole('textbox', { name: 'SQL' }).waitFor()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/webhooks', async (route) => {
      await held
      await route.continue()
    })
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click()
    await page.getByText('Loading the webhooks').waitFor()
    release()
    await page.getByRole('rowheader').getByRole('link', { name: 'Gardeners' }).click()
    await page.unrouteAll({ behavior: 'wait' })
  })

  it('keep the input if a refetch fails, until its user agrees to leave', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.fill('Half a na')
    await page.route('**/webhooks', (route) => route.fulfill(refusal))
    // By the second request, the first response was processed.
    await page.waitForResponse('**/webhooks')
    await page.waitForResponse('**/webhooks')
    await page.unrouteAll()
    expect(await name.inputValue()).toBe('Half a na')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await dialog().getByRole('button', { name: 'Cancel' }).click()
    expect(await name.inputValue()).toBe('Half a na')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await dialog().getByRole('button', { name: 'Leave without saving' }).click()
    await page.getByRole('heading', { name: 'Gardeners' }).waitFor()
  })

  it('are saved with only the changed fields', async () => {
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Beds')
    await page.getByLabel('Authorization').fill('€')
    await button('Save').click()
    await page.getByRole('alert').getByText('authorization has a character').waitFor()
    await page.getByLabel('Authorization').fill('Bearer abc')
    await button('Save').click()
    await page.getByRole('heading', { name: 'Beds', exact: true }).waitFor()
    await page.getByText('Header is sent').waitFor()
    const [changed] = await listed()
    expect(changed?.fields).toMatchObject({
      ...{ name: 'Beds', authorization: 'Bearer abc', isReadyColumn: 'Done' },
      watchedColIds: ['Size'],
    })
  })

  it('continue a replay, even if the last attempt made no progress', async () => {
    let answer: object = { queued: 3, nextSeq: 1 }
    await page.route('**/replay', (route) => route.fulfill({ json: answer }))
    await choose('Replay changes')
    const since = dialog().getByLabel('After change')
    await since.fill('0')
    await dialog().getByRole('button', { name: 'Replay' }).click()
    await dialog().getByText('3 events pending.').waitFor()
    expect(await since.inputValue()).toBe('1')
    const resume = dialog().getByRole('button', { name: 'Continue' })
    answer = { queued: 4, nextSeq: 1 }
    await resume.click()
    await dialog().getByText('4 events pending.').waitFor()
    answer = { queued: 0 }
    await resume.click()
    await dialog().waitFor({ state: 'detached' })
    await page.unrouteAll()
  })

  it('replay past changes, from a change number or a time', async () => {
    const before = receiver.rows('/beds').length
    await choose('Replay changes')
    await dialog().getByLabel('After change').fill('0')
    await dialog().getByRole('button', { name: 'Replay' }).click()
    await dialog().waitFor({ state: 'detached' })
    await eventually(() => receiver.rows('/beds').length === before + 1)
    await choose('Replay changes')
    await dialog().getByLabel('Start at').selectOption('sinceTime')
    await dialog().getByLabel('Time').fill('2020-01-01T00:00')
    await dialog().getByRole('button', { name: 'Replay' }).click()
    await dialog().waitFor({ state: 'detached' })
    await eventually(() => receiver.rows('/beds').length === before + 2)
  })

  it('queue events while the receiver fails, and discard them on request', async () => {
    receiver.answer = () => ({ status: 500, headers: { 'retry-after': '3600' } })
    await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Tulips', Size: 1, Done: true }])
    await page.getByText('Failing').waitFor()
    await choose('Clear queue')
    await dialog().getByText('1 event pending.').waitFor()
    await dialog().getByRole('button', { name: 'Clear queue' }).click()
    await dialog().waitFor({ state: 'detached' })
    await page.getByText('Active').waitFor()
    receiver.answer = () => ({})
  })

  it('are disabled and enabled', async () => {
    await button('Disable').click()
    await page.getByText('Changes are not recorded or sent.').waitFor()
    expect((await listed())[0]?.fields.enabled).toBe(false)
    await choose('Replay changes')
    await dialog().getByLabel('After change').fill('0')
    await dialog().getByRole('button', { name: 'Replay' }).click()
    await dialog().getByRole('alert').getByText('disabled').waitFor()
    await page.keyboard.press('Escape')
    await button('Enable').click()
    await page.getByText('Active').waitFor()
    expect((await listed())[0]?.fields.enabled).toBe(true)
  })

  it('report that they have stopped, and are restarted', async () => {
    receiver.answer = () => ({ status: 410 })
    await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'Lilies', Size: 2, Done: true }])
    await page.getByText('Delivery has stopped: the receiver returned HTTP status 410').waitFor()
    receiver.answer = () => ({})
    await button('Restart').click()
    await page.getByText('Active').waitFor()
    await eventually(() => receiver.rows('/beds').some(({ Name }) => Name === 'Lilies'))
  })

  it('are listed by name, and deleted', async () => {
    await page.getByRole('link', { name: 'All webhooks' }).click()
    await page.getByRole('cell', { name: 'Rows added, rows changed' }).waitFor()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('rowheader').getByRole('link', { name: 'Beds' }).click()
    await choose('Delete webhook')
    await dialog().getByRole('button', { name: 'Delete webhook' }).click()
    await page.getByText('No webhooks yet').waitFor()
    expect(await listed()).toEqual([])
    expect(faults()).toEqual([])
  })

  it('are created with the keyboard only', async () => {
    await page.goto(`${address}/new`)
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await name.focus()
    await page.keyboard.type('By hand')
    await page.keyboard.press('Tab')
    await page.keyboard.type(`${receiver.url}/keys`)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'By hand' }).waitFor()
    expect((await listed()).map(({ fields }) => fields.name)).toEqual(['By hand'])
  })

  it('are not shown to editors, with an explanation', async () => {
    const { email } = await sheaf.createUser('dan@example.com', 'Dan')
    const body = { delta: { users: { [email]: 'editors' } } }
    expect((await rest.patch(`${doc}/access`, { body })).status).toBe(200)
    await using other = await visit()
    await signIn(other, sheaf, email)
    await other.page.goto(address)
    await other.page.getByText('Only owners can see webhooks').waitFor()
    expect(await other.page.getByRole('link', { name: 'New webhook' }).count()).toBe(0)
    expect(await findViolations(other.page)).toEqual([])
    expect(other.faults).toEqual([])
  })
})
