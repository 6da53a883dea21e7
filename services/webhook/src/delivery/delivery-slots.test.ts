import { DeliverySlots } from './delivery-slots'

describe('places', () => {
  it('of one host are so many, and leave room for the others', () => {
    const places = new DeliverySlots()
    for (let taken = 0; taken < 32; taken++) {
      expect(places.isExhausted('working')).toBe(false)
      places.acquire('working', 'slow.example')
    }
    places.acquire('working', 'other.example')
    expect(places.isExhausted('working')).toBe(true)
    expect(places.available('working')).toEqual({
      limit: 192 - 33,
      perTarget: 32,
      left: new Map([
        ['slow.example', 0],
        ['other.example', 31],
      ]),
    })
    places.release('working', 'slow.example')
    places.release('working', 'other.example')
    expect(places.isExhausted('working')).toBe(false)
    expect([...places.available('working').left]).toEqual([['slow.example', 1]])
  })

  it('of webhooks that fail are apart from those of webhooks that work', () => {
    const places = new DeliverySlots()
    for (let host = 0; host < 64; host++) places.acquire('failing', `dead-${host}.example`)
    expect(places.available('failing').limit).toBe(0)
    expect([places.isExhausted('failing'), places.isExhausted('working')]).toEqual([true, false])
    expect(places.available('working')).toEqual({ limit: 192, perTarget: 32, left: new Map() })
  })
})
