import { Places } from './delivery-slots'

describe('places', () => {
  it('of one host are so many, and leave room for the others', () => {
    const places = new Places()
    for (let taken = 0; taken < 32; taken++) {
      expect(places.isTight('working')).toBe(false)
      places.take('working', 'slow.example')
    }
    places.take('working', 'other.example')
    expect(places.isTight('working')).toBe(true)
    expect(places.free('working')).toEqual({
      limit: 192 - 33,
      perTarget: 32,
      left: new Map([
        ['slow.example', 0],
        ['other.example', 31],
      ]),
    })
    places.leave('working', 'slow.example')
    places.leave('working', 'other.example')
    expect(places.isTight('working')).toBe(false)
    expect([...places.free('working').left]).toEqual([['slow.example', 1]])
  })

  it('of webhooks that fail are apart from those of webhooks that work', () => {
    const places = new Places()
    for (let host = 0; host < 64; host++) places.take('failing', `dead-${host}.example`)
    expect(places.free('failing').limit).toBe(0)
    expect([places.isTight('failing'), places.isTight('working')]).toEqual([true, false])
    expect(places.free('working')).toEqual({ limit: 192, perTarget: 32, left: new Map() })
  })
})
