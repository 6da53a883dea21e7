import { GroupedCalls } from './grouped-calls'

/** Groups that end when the test lets them. */
function startGroups(answer: (item: number) => string = String) {
  const groups: { key: string; items: readonly number[]; end: () => void }[] = []
  const calls = new GroupedCalls<string, number, string>(async (key, items) => {
    await new Promise<void>((end) => groups.push({ key, items, end }))
    return items.map(answer)
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const endAll = async () => {
    for (let ended = 0; ended < groups.length; ended++) {
      groups[ended]?.end()
      await turn()
    }
  }
  return { calls, groups, endAll }
}

describe('calls in groups', () => {
  it('run at once while none runs, and together after the running one', async () => {
    const { calls, groups, endAll } = startGroups()
    const all = [1, 2, 3].map((item) => calls.call('a', item))
    const other = calls.call('b', 4)
    await endAll()
    expect(await Promise.all([...all, other])).toEqual(['1', '2', '3', '4'])
    expect(groups.map(({ key, items }) => [key, items])).toEqual([
      ['a', [1]],
      ['b', [4]],
      ['a', [2, 3]],
    ])
    const later = calls.call('a', 5)
    await endAll()
    expect(await later).toBe('5')
  })

  it('fail for their own reasons only', async () => {
    const { calls, groups, endAll } = startGroups((item) => {
      if (item === 3) throw new Error('three')
      return String(item)
    })
    const all = Promise.allSettled([1, 2, 3, 4].map((item) => calls.call('a', item)))
    await endAll()
    expect((await all).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [2], [3], [4]])
  })

  it('are bounded in number', async () => {
    const { calls, groups, endAll } = startGroups()
    const all = Array.from({ length: 600 }, (_, item) => calls.call('a', item))
    const settled = Promise.allSettled(all)
    await endAll()
    const refused = (await settled).filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(99)
    expect(Math.max(...groups.map(({ items }) => items.length))).toBe(100)
    await expect(all.at(-1)).rejects.toMatchObject({ code: 'unavailable', reason: 'SERVICE_BUSY' })
  })
})
