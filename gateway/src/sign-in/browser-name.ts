import Bowser from 'bowser'

/** The parts of a user agent in familiar names; null for unknown ones. */
export interface BrowserName {
  readonly browser: string | null
  readonly system: string | null
}

const LONGEST = 60

/**
 * Returns the browser and the operating system that a `User-Agent` header names. For programs other than
 * browsers, it is the first word of the header.
 */
export function nameBrowser(userAgent: string): BrowserName {
  if (userAgent === '') return { browser: null, system: null }
  const { browser, os } = Bowser.parse(userAgent)
  const [product = ''] = userAgent.split(/[/\s(]/, 1)
  return { browser: shown(browser.name) ?? shown(product), system: shown(os.name) ?? null }
}

function shown(name: string | undefined): string | null {
  // eslint-disable-next-line no-control-regex -- what a client sends is shown to people
  const text = (name ?? '').replace(/[\x00-\x1f\x7f]/g, '').slice(0, LONGEST)
  return text === '' ? null : text
}
