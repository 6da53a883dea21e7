import { withToast } from './kept-toasts'

const done = (id: number) => ({ id, kind: 'done' as const })
const error = (id: number) => ({ id, kind: 'error' as const })
const idsWith = (
  shown: readonly (ReturnType<typeof done> | ReturnType<typeof error>)[],
  added: ReturnType<typeof done> | ReturnType<typeof error>,
) => withToast(shown, added, 3).map(({ id }) => id)

describe('messages', () => {
  it('are all shown while they are few', () => {
    expect(idsWith([done(1), error(2)], done(3))).toEqual([1, 2, 3])
  })

  it('push out the oldest that disappear by themselves', () => {
    expect(idsWith([done(1), done(2), done(3)], done(4))).toEqual([2, 3, 4])
  })

  it('never push out an error, which stays until it is dismissed', () => {
    expect(idsWith([error(1), done(2), done(3)], done(4))).toEqual([1, 3, 4])
    expect(idsWith([error(1), error(2), error(3)], done(4))).toEqual([1, 2, 3, 4])
    expect(idsWith([error(1), error(2), error(3), done(4)], done(5))).toEqual([1, 2, 3, 5])
    expect(idsWith([error(1), error(2), error(3)], error(4))).toEqual([1, 2, 3, 4])
  })
})
