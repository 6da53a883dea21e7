import type { Option } from '../base/pick-list'

const MAX_SHOWN = 200

/**
 * What there is to choose for a search: the choices that hold it, those that begin with it first, and the text itself
 * where it is none of them.
 */
export function findChoices(choices: readonly string[], search: string): Option[] {
  const sought = search.trim().toLowerCase()
  const place = (choice: string) => choice.toLowerCase().indexOf(sought)
  const found = choices.filter((choice) => place(choice) >= 0)
  const ordered =
    sought === ''
      ? found
      : [...found.filter((choice) => place(choice) === 0), ...found.filter((c) => place(c) > 0)]
  const options = ordered.slice(0, MAX_SHOWN).map(toOption)
  const isNew = sought !== '' && !choices.some((choice) => choice.toLowerCase() === sought)
  return isNew
    ? [...options, { ...toOption(search.trim()), label: `Use “${search.trim()}”` }]
    : options
}

const toOption = (choice: string): Option => ({ key: choice, label: choice, value: choice })
