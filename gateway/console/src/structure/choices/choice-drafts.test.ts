import { hueOf, hues } from '../../formats/choice-style'
import { choiceDrafts, insertChoices, moveChoice, renamedChoices, withHue } from './choice-drafts'

const drafts = choiceDrafts({ choices: ['a', 'b', 'c'] })
const names = (choices: typeof drafts) => choices.map(({ name }) => name)

describe('choices that are edited', () => {
  it('get the colour that is used least, and keys of their own', () => {
    const all = insertChoices(drafts, 1, [...hues.map(({ name }) => name), 'again'])
    expect(names(all).slice(0, 3)).toEqual(['a', 'red', 'orange'])
    expect(all.slice(1, -2).map(({ options }) => hueOf(options)?.name)).toEqual([
      ...hues.map(({ name }) => name),
      'red',
    ])
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
  })

  it('are pasted by the thousand without delay', () => {
    const pasted = Array.from({ length: 50_000 }, (_, index) => `choice ${index}`)
    const all = insertChoices(drafts, 3, pasted)
    expect(all).toHaveLength(50_003)
    expect(all.at(-1)?.key).toBe(50_002)
  })

  it('are moved as far as the list reaches', () => {
    expect(names(moveChoice(drafts, 0, 2))).toEqual(['b', 'c', 'a'])
    expect(names(moveChoice(drafts, 2, 0))).toEqual(['c', 'a', 'b'])
    expect(moveChoice(drafts, 0, -1)).toBe(drafts)
    expect(moveChoice(drafts, 2, 3)).toBe(drafts)
  })

  it('lose both colours, and nothing else, with their colour', () => {
    const [choice] = choiceDrafts({
      choices: ['a'],
      choiceOptions: { a: { fillColor: '#000000', textColor: '#FFFFFF', fontBold: true } },
    })
    expect(choice && withHue(choice, undefined).options).toEqual({ fontBold: true })
  })

  it('are renamed if they were stored', () => {
    const [first, ...others] = insertChoices(drafts, 3, ['d'])
    const changed = first ? [{ ...first, name: ' x ' }, ...others] : []
    expect([...renamedChoices(changed)]).toEqual([['a', 'x']])
  })
})
