import { readBody, type RestReply } from '@sheaf/testkit/rest'

/** Options of a request. */
export interface BrowserRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Form fields. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
}

/** A page as a browser gets it; redirects are not followed automatically. */
export interface Page extends RestReply<string> {
  /** Final address. */
  readonly url: string
  /** Target of the redirect. */
  readonly location?: string
}

/**
 * Keeps cookies like a browser and submits forms. Runs no script, since the sign-in pages work without it.
 */
export class Browser {
  /** By host, regardless of the port, as in browsers. */
  private readonly jars = new Map<string, Map<string, string>>()

  /** @param base address that paths are relative to */
  constructor(readonly base: string) {}

  /** The value of a cookie; undefined when it was never set or was deleted. */
  cookie(name: string): string | undefined {
    return this.jar(new URL(this.base)).get(name)
  }

  /** Requests a page. */
  async open(path: string, { method, headers, form, json }: BrowserRequest = {}): Promise<Page> {
    const url = new URL(path, this.base)
    const jar = this.jar(url)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(url, {
      method: method ?? (form || json !== undefined ? 'POST' : 'GET'),
      redirect: 'manual',
      headers: {
        ...(cookie && { cookie }),
        ...(form && { origin: url.origin }),
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: form
        ? new URLSearchParams(form)
        : json === undefined
          ? undefined
          : JSON.stringify(json),
    })
    for (const text of response.headers.getSetCookie()) keep(jar, text)
    const raw = Buffer.from(await response.arrayBuffer())
    const text = raw.toString()
    const body = readBody(response.headers.get('content-type'), text) as string
    const location = response.headers.get('location') ?? undefined
    return {
      status: response.status,
      headers: response.headers,
      raw,
      text,
      body,
      url: url.href,
      location,
    }
  }

  /** Requests a page and follows redirects, up to one to another site or a page that does not redirect. */
  async follow(path: string, request: BrowserRequest = {}): Promise<Page> {
    let page = await this.open(path, request)
    for (let i = 0; i < 10 && page.location !== undefined; i++)
      page = await this.open(new URL(page.location, page.url).href)
    return page
  }

  /** Submits the only form of a page with these values. */
  submit(page: Page, values: Readonly<Record<string, string>> = {}): Promise<Page> {
    const [, action] = /<form[^>]* action="([^"]*)"/.exec(page.text) ?? []
    if (action === undefined) throw new Error(`there is no form on ${page.url}: ${page.text}`)
    const inputs = [...page.text.matchAll(/<input[^>]* name="([^"]*)"[^>]*>/g)].map(
      ([input, name = '']) => [name, /value="([^"]*)"/.exec(input)?.[1] ?? ''],
    )
    const form = { ...(Object.fromEntries(inputs) as Record<string, string>), ...values }
    return this.open(new URL(unescape(action), page.url).href, { form })
  }

  private jar({ hostname }: URL): Map<string, string> {
    const known = this.jars.get(hostname)
    if (known) return known
    const jar = new Map<string, string>()
    this.jars.set(hostname, jar)
    return jar
  }
}

function keep(jar: Map<string, string>, text: string): void {
  const [pair = '', ...attributes] = text.split('; ')
  const [name = '', value = ''] = pair.split(/=(.*)/)
  const isGone = attributes.some((attribute) =>
    /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(attribute),
  )
  if (isGone) jar.delete(name)
  else jar.set(name, value)
}

function unescape(text: string): string {
  return text.replaceAll('&amp;', '&')
}
