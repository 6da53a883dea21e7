import { repetitionId } from './once'

it('recognises a repetition by requestId, else by an id that is a UUID', () => {
  const uuid = 'F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6'
  expect(repetitionId(1, 'mine')).toBe('mine')
  expect(repetitionId(uuid)).toBe(uuid.toLowerCase())
})

it('takes no id that another session may use for another change', () => {
  for (const id of [0, 1, '1', 'request-1', 'f81d4fae']) expect(repetitionId(id)).toBeUndefined()
})
