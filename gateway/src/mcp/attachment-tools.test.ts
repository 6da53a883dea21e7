import fc from 'fast-check'
import { endOfCharacters } from './attachment-tools'

it('cuts a text between characters only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.nat(), (text, at) => {
      const bytes = Buffer.from(text)
      const cut = bytes.subarray(0, 1 + (at % bytes.length))
      const end = endOfCharacters(cut)
      expect(cut.length - end).toBeLessThan(4)
      expect(text.startsWith(cut.subarray(0, end).toString())).toBe(true)
    }),
  )
})
