import type { Option } from '../editing/pick-list'

const MAX_SHOWN = 200

/**
 * Returns the options for a search text: the choices that contain it, those that start with it first, and the
 * text itself if it is not a choice.
 */
export function findChoices(choices: readonly string[], search: string): Option[] {
  const query = search.trim().toLowerCase()
  const position = (choice: string) => choice.toLowerCase().indexOf(query)
  const found = choices.filter((choice) => position(choice) >= 0)
  const ordered =
    query === ''
      ? found
      : [
          ...found.filter((choice) => position(choice) === 0),
          ...found.filter((c) => position(c) > 0),
        ]
  const options = ordered.slice(0, MAX_SHOWN).map(toOption)
  const isNew = query !== '' && !choices.some((choice) => choice.toLowerCase() === query)
  return isNew
    ? [...options, { ...toOption(search.trim()), label: `Use “${search.trim()}”` }]
    : options
}

const toOption = (choice: string): Option => ({ key: choice, label: choice, value: choice })
