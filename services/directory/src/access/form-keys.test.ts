import { createFormKey, hashFormKey, isFormKey } from './form-keys'

describe('the key of a form', () => {
  it('is different each time, and has the form of one', () => {
    const keys = Array.from({ length: 100 }, createFormKey)
    expect(new Set(keys).size).toBe(100)
    expect(keys.every(isFormKey)).toBe(true)
  })

  it.each(['', 'short', `${'x'.repeat(31)} `, 'x'.repeat(33), `${'x'.repeat(31)}/`])(
    'is not %j',
    (text) => expect(isFormKey(text)).toBe(false),
  )

  it('is looked up by a hash of 32 bytes', () => {
    const key = createFormKey()
    expect(hashFormKey(key)).toHaveLength(32)
    expect(hashFormKey(key)).toEqual(hashFormKey(key))
    expect(hashFormKey(createFormKey())).not.toEqual(hashFormKey(key))
  })
})
