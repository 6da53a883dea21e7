import { withOrigin, type Origin } from './origins'

describe('the origins of a document', () => {
  it('are those of the document that was copied, after the copied state', () => {
    const older = [{ epoch: 'a', seq: 3, at: 1 }]
    const latest = { epoch: 'b', seq: 7, at: 1 }
    expect(withOrigin(latest, older)).toEqual([latest, ...older])
  })

  it('are 64 at most: the oldest are forgotten', () => {
    let origins: Origin[] = []
    for (let i = 0; i < 100; i++) origins = withOrigin({ epoch: `e${i}`, seq: 1, at: 1 }, origins)
    expect([origins.length, origins[0]?.epoch, origins.at(-1)?.epoch]).toEqual([64, 'e99', 'e36'])
  })
})
