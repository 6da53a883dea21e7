import fc from 'fast-check'
import { choiceStyle, choiceStyles, hues } from './choice-style'
import { contrastOf, isColour } from './colour'

describe('a colour of choices', () => {
  it.each(hues)('$name is stored with a readable text, and drawn by its name', (hue) => {
    expect(contrastOf(hue.fillColor, hue.textColor)).toBeGreaterThanOrEqual(4.5)
    expect(choiceStyle(hue)).toEqual({ className: `hue-${hue.name}` })
    expect(choiceStyle({ fillColor: hue.fillColor.toLowerCase() })).toEqual(choiceStyle(hue))
  })

  it('of another program is readable in the light and in the dark, whatever it is', () => {
    const colour = fc
      .integer({ min: 0, max: 0xffffff })
      .map((value) => `#${value.toString(16).padStart(6, '0')}`)
    fc.assert(
      fc.property(colour, fc.option(colour, { nil: undefined }), (fillColor, textColor) => {
        const { own } = choiceStyle({ fillColor, textColor })
        for (const { fill, ink } of [own?.light, own?.dark].filter((part) => part !== undefined)) {
          expect([fill, ink].every(isColour)).toBe(true)
          expect(contrastOf(fill, ink)).toBeGreaterThanOrEqual(4.5)
        }
        expect(own?.light.fill).toBe(fillColor)
      }),
    )
  })

  it('keeps a readable text colour, and its hue in the dark', () => {
    const { own } = choiceStyle({ fillColor: '#FF0000', textColor: '#000000' })
    expect(own?.light).toEqual({ fill: '#FF0000', ink: '#000000' })
    expect(own?.dark.fill).toBe('#6E1C1C')
  })

  it('is none for options that are no colours, and fonts are kept', () => {
    expect(choiceStyle({ fillColor: 'red', fontBold: true, fontItalic: 1 })).toEqual({
      className: 'bold',
    })
    expect(choiceStyles({ choiceOptions: ['x'] }).size).toBe(0)
    expect([...choiceStyles({ choiceOptions: { a: null, b: {} } }).keys()]).toEqual(['b'])
  })
})
