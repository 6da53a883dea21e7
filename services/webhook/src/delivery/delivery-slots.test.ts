import { randomUUID } from 'node:crypto'
import type { DueWebhook } from '../db/leases'
import { DeliverySlots } from './delivery-slots'

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const hook = (parties: Partial<DueWebhook> = {}): DueWebhook => {
  const id = randomUUID()
  return { id, docId: id, creator: null, network: id, ...parties }
}

describe('the slots of delivery', () => {
  it.each([
    ['document', { docId: 'd' }],
    ['creator', { creator: 7 }],
    ['network', { network: '192.0.2.1' }],
  ])('of one %s are a quarter, and the others have the rest', (_, parties) => {
    const slots = new DeliverySlots()
    const greedy = range(200).map(() => hook(parties))
    const selection = slots.begin('working')
    expect(selection.take(greedy)).toEqual(greedy.slice(0, 48))
    const others = range(200).map(() => hook())
    expect(selection.take([...greedy, ...others])).toEqual(others.slice(0, 144))
    expect(selection.mayContinue).toBe(false)
  })

  it('of webhooks that fail or take long are apart from those of others', () => {
    const slots = new DeliverySlots()
    expect(slots.begin('failing').take(range(100).map(() => hook()))).toHaveLength(64)
    expect(slots.begin('slow').take(range(100).map(() => hook()))).toHaveLength(64)
    expect(slots.begin('working').take(range(300).map(() => hook()))).toHaveLength(192)
  })

  it('are awaited by someone only when one was refused', () => {
    const slots = new DeliverySlots({ working: 4, slow: 4, failing: 4 })
    const [first, second] = [hook({ docId: 'd' }), hook({ docId: 'd' })]
    expect(slots.begin('working').take([first])).toEqual([first])
    expect(slots.release('working', first)).toBe(false)
    expect(slots.begin('working').take([first, second])).toEqual([first])
    expect(slots.release('working', first)).toBe(true)
    expect(slots.begin('working').take([second])).toEqual([second])
    expect(slots.release('working', second)).toBe(false)
  })

  it('that become free go to others before they go to a party that was refused in the same selection', () => {
    const slots = new DeliverySlots({ working: 4, slow: 4, failing: 4 })
    const selection = slots.begin('working')
    const [first, second, third] = [hook({ creator: 1 }), hook({ creator: 1 }), hook()]
    expect(selection.take([first, second])).toEqual([first])
    slots.release('working', first)
    expect(selection.take([second, third])).toEqual([third])
  })
})
