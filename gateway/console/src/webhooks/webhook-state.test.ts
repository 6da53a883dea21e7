import type { Webhook, WebhookUsage } from '@sheaf/client'
import { lastAttempt, nameOf, webhookState } from './webhook-state'

const idle: WebhookUsage = { status: 'idle', numWaiting: 0, lastEventBatch: null }

const webhook = (
  usage: Partial<WebhookUsage> = {},
  fields: Partial<Webhook['fields']> = {},
): Webhook => ({
  id: 'w',
  fields: {
    ...{ url: 'https://hooks.example/a', tableId: 'People', eventTypes: ['add'], name: '' },
    ...{ isReadyColumn: null, watchedColIds: [], memo: '', authorization: '', enabled: true },
    unsubscribeKey: '',
    ...fields,
  },
  usage: { ...idle, ...usage },
})

describe('the state of a webhook', () => {
  it.each<[string, Webhook]>([
    ['Active', webhook()],
    ['Active', webhook({ status: 'sending' })],
    ['Pending', webhook({ numWaiting: 3 })],
    ['Retrying', webhook({ status: 'retrying', numWaiting: 3 })],
    ['Failing', webhook({ status: 'postponed', numWaiting: 3 })],
    ['Failing', webhook({ status: 'invalid' })],
    ['Stopped', webhook({ status: 'error', stoppedReason: 'the queue is full', stoppedSeq: 7 })],
    ['No table', webhook({}, { tableId: null })],
    ['Disabled', webhook({ status: 'retrying' }, { enabled: false })],
  ])('is %s', (label, of) => {
    expect(webhookState(of).label).toBe(label)
  })

  it('explains why it is stopped, and what was missed', () => {
    const full = webhook({ stoppedReason: 'the queue is full', stoppedSeq: 7 })
    expect(webhookState(full).description).toMatch(
      /the queue is full\. The last recorded change is 7/,
    )
    const halted = webhook({ stoppedReason: 'no successful delivery for 5 days' })
    expect(webhookState(halted).description).toMatch(/for 5 days\. Restart it/)
  })
})

it('uses the host as the name of a webhook without one', () => {
  expect(nameOf(webhook())).toBe('hooks.example')
  expect(nameOf(webhook({}, { name: 'Chat' }))).toBe('Chat')
  expect(nameOf(webhook({}, { url: 'nonsense' }))).toBe('nonsense')
})

it('uses the later of success and failure as the last attempt', () => {
  expect(lastAttempt(webhook().usage)).toBeNull()
  const usage = { ...idle, lastSuccessTime: 1_000, lastFailureTime: 2_000 }
  expect(lastAttempt(usage)).toBe('1970-01-01T00:00:02.000Z')
})
