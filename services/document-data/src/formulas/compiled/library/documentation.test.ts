import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lazyFunctions } from '../lazy-functions'
import { dateAttributes } from './date-functions'
import { functions } from './functions'
import { methods } from './methods'

const reference = readFileSync(join(__dirname, '../../../../../../docs/formulas.md'), 'utf8')

/** The names in the item of the list of what is compiled that begins so. */
function namesAfter(beginning: string): string[] {
  const [, item = ''] = reference.split(`\n- ${beginning} `)
  const [text = ''] = item.split(/\n(?:-|\n)/)
  return [...text.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort()
}

it('the reference names the functions that are compiled, and no others', () => {
  const names = [...Object.keys(functions), ...Object.keys(lazyFunctions)].sort()
  expect(namesAfter('the functions')).toEqual(names)
})

it('the reference names the methods and attributes that are compiled, and no others', () => {
  const names = [...Object.keys(methods), ...Object.keys(dateAttributes)].sort()
  expect(namesAfter('the methods')).toEqual(names)
})
