import { describeDelivery } from './delivery-text'

const now = new Date('2026-01-31T12:00:00Z')
const arrival = {
  method: 'POST',
  url: '/hook',
  headers: { 'webhook-id': 'msg_1', authorization: 'Basic secret' },
  body: '[{"id":1,"A":"x"},{"id":2}]',
  verification: { isRight: true, text: 'valid' },
  isRepeated: false,
}

describe('a delivery on the terminal', () => {
  it('shows headers, signature and a line for each row, and no credentials', () => {
    expect(describeDelivery(arrival, now).split('\n')).toEqual([
      '2026-01-31T12:00:00.000Z  POST /hook  2 rows',
      '  signature: valid',
      '  webhook-id: msg_1',
      '  authorization: (12 characters)',
      '  {"id":1,"A":"x"}',
      '  {"id":2}',
      '',
    ])
  })

  it('says when it came before, and when it is none', () => {
    expect(describeDelivery({ ...arrival, isRepeated: true }, now)).toMatch('2 rows, repeated')
    expect(describeDelivery({ ...arrival, body: 'hello' }, now)).toMatch('not a JSON array')
    expect(describeDelivery({ ...arrival, body: 'hello' }, now)).toMatch('  "hello"')
  })

  it('shows so many rows, and cannot steer the terminal', () => {
    const body = JSON.stringify(Array(150).fill({ A: '\u001b[2J\u009b2J' }))
    const text = describeDelivery({ ...arrival, body, url: '/\u009b2J' }, now)
    expect(text).toMatch('and 50 more')
    // eslint-disable-next-line no-control-regex -- which is what is looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})
