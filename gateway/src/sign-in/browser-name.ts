import Bowser from 'bowser'

/** What a browser runs as, in words that people know; null for what it does not tell. */
export interface BrowserName {
  readonly browser: string | null
  readonly system: string | null
}

const LONGEST = 60

/** The browser and the operating system that a `User-Agent` header names. Where it is no browser's, its first word will do. */
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
