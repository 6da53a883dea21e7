import { readBody, type RestReply } from '@sheaf/testkit/rest'

/** What a test may add to a request. */
export interface BrowserRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Fields of a form. */
  readonly form?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: unknown
}

/** A page as a browser gets it; redirects are not followed by themselves. */
export interface Page extends RestReply<string> {
  /** Where it was found. */
  readonly url: string
  /** Where it sends the browser. */
  readonly location?: string
}

/** Keeps cookies like a browser, and sends forms. Without script, as the pages of signing in are made for. */
export class Browser {
  /** By host, whatever the port, as browsers do. */
  private readonly jars = new Map<string, Map<string, string>>()

  /** @param base address that paths are relative to */
  constructor(readonly base: string) {}

  /** The value of a cookie; undefined when it was never set, or was taken away. */
  cookie(name: string): string | undefined {
    return this.jar(new URL(this.base)).get(name)
  }

  /** Asks for a page. */
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

  /** Asks for a page, and for those that it is sent on to, until one of another site or one that stays. */
  async follow(path: string, request: BrowserRequest = {}): Promise<Page> {
    let page = await this.open(path, request)
    for (let i = 0; i < 10 && page.location !== undefined; i++)
      page = await this.open(new URL(page.location, page.url).href)
    return page
  }

  /** Sends the one form of a page, with these values in it. */
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
