const CONTROLS = 'button, select, input'

const controlsOf = (item: Element): HTMLElement[] => [
  ...item.querySelectorAll<HTMLElement>(CONTROLS),
]

/**
 * Moves the focus from a control of an item that is about to be removed: to the same control of the next item, or of the one before;
 * without another item, to the first element in the dialog or page that matches a selector.
 */
export function focusBeside(control: Element, otherwise: string): void {
  const item = control.closest('li, tr')
  if (!item) return
  const place = controlsOf(item).findIndex((one) => one === control)
  const siblings = [...(item.parentElement?.children ?? [])]
  const index = siblings.indexOf(item)
  const nearest = [...siblings.slice(index + 1), ...siblings.slice(0, index).reverse()]
  const beside = nearest.map(controlsOf).find(({ length }) => length > 0)
  const next = beside && (beside[place] ?? beside.at(-1))
  const page = control.closest('dialog, main') ?? document.body
  const others = [...page.querySelectorAll<HTMLElement>(otherwise)]
  const target = next ?? others.find((one) => !item.contains(one))
  target?.focus()
}
