import { MovedCards } from './moved-cards'

const row = (id: number) => ({ id, fields: {} })

describe('moved cards', () => {
  it('are shown in their new lane until they are removed', () => {
    const moved = new MovedCards()
    const shown: string[] = []
    moved.watch(() => shown.push([...moved.read().values()].map(({ to }) => to).join()))
    const first = moved.add(row(1), 'a')
    moved.add(row(2), 'b')
    moved.finish(first)
    expect(moved.read().get(1)).toEqual({ ...first, isDone: true })
    moved.remove([...moved.read().values()].filter(({ isDone }) => isDone))
    expect(shown).toEqual(['a', 'a,b', 'a,b', 'b'])
  })

  it('stay while a later move of them is on its way', () => {
    const moved = new MovedCards()
    const first = moved.add(row(1), 'a')
    const second = moved.add(row(1), 'b')
    moved.finish(first)
    moved.remove([first])
    expect([...moved.read().values()]).toEqual([second])
  })

  it('are limited: the oldest is shown where it was read', () => {
    const moved = new MovedCards()
    for (let id = 1; id <= 201; id++) moved.add(row(id), 'a')
    expect(moved.read().size).toBe(200)
    expect(moved.read().has(1)).toBe(false)
  })
})
