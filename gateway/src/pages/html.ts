const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A piece of a page: text that is HTML, with everything escaped that was put into it. */
export class Html {
  /** @param text trusted to be whole HTML; `html` makes it */
  constructor(readonly text: string) {}
}

type Part = string | Html | readonly Html[]

/** HTML with values put in: what is not HTML itself is shown as it is, in text and in attributes with quotes. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string')
    return part.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  return part.map(({ text }) => text).join('')
}
