const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A fragment of HTML whose inserted values are escaped. */
export class Html {
  /** @param text trusted, complete HTML; use `html` to create it */
  constructor(readonly text: string) {}
}

type Part = string | Html | readonly Html[]

/**
 * Builds HTML from a template: values other than Html are escaped, for use in text and in quoted attributes.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...values.map(render)))
}

function render(part: Part): string {
  if (part instanceof Html) return part.text
  if (typeof part === 'string')
    return part.replace(/[&<>"']/g, (character) => entities[character] ?? '')
  return part.map(({ text }) => text).join('')
}
