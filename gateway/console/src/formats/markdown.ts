import { safeHref } from './link'

/** A part of a text with one look. */
export interface MarkdownSpan {
  readonly text: string
  readonly isBold?: boolean
  readonly isItalic?: boolean
  readonly isCode?: boolean
  /** An address that may be opened. */
  readonly href?: string
}

/** Characters that are parsed; what follows is shown as it is. */
const MAX_LENGTH = 2_000

/** Code, links, bold and italic text, none of which contains a line break. */
const PATTERN =
  /`([^`\n]+)`|\[([^\][\n]+)\]\(([^()\s]+)\)|\*\*(?!\s)([^\n]+?)(?<!\s)\*\*(?!\*)|\*(?![\s*])([^*\n]+)(?<!\s)\*|(?<!\w)_(?![\s_])([^_\n]+)(?<!\s)_(?!\w)/

/**
 * Parses a small part of Markdown: bold and italic text, code, headings as bold lines, lists, and links with `http`, `https` or
 * `mailto`. Everything else, also HTML, is text.
 */
export function readMarkdown(text: string): readonly MarkdownSpan[] {
  const parsed = text.slice(0, MAX_LENGTH)
  const lines = parsed.split('\n').flatMap((line, index) => {
    const [, heading] = /^#{1,6}\s+(.*)$/.exec(line) ?? []
    const spans =
      heading === undefined
        ? readSpans(line.replace(/^(\s*)[-*+]\s+/, '$1• '), {})
        : readSpans(heading, { isBold: true })
    return index === 0 ? spans : [{ text: '\n' }, ...spans]
  })
  return parsed.length < text.length ? [...lines, { text: text.slice(MAX_LENGTH) }] : lines
}

type Look = Omit<MarkdownSpan, 'text'>

function readSpans(text: string, look: Look): readonly MarkdownSpan[] {
  const spans: MarkdownSpan[] = []
  let rest = text
  for (let match = PATTERN.exec(rest); match; match = PATTERN.exec(rest)) {
    if (match.index > 0) spans.push({ ...look, text: rest.slice(0, match.index) })
    spans.push(...readMatch(match, look))
    rest = rest.slice(match.index + match[0].length)
  }
  return rest === '' ? spans : [...spans, { ...look, text: rest }]
}

function readMatch(match: RegExpExecArray, look: Look): readonly MarkdownSpan[] {
  const [whole, code, label, address = '', bold, star, underscore] = match
  if (code !== undefined) return [{ ...look, text: code, isCode: true }]
  if (bold !== undefined) return readSpans(bold, { ...look, isBold: true })
  if (label === undefined) return readSpans(star ?? underscore ?? '', { ...look, isItalic: true })
  const href = safeHref(address)
  return href === undefined ? [{ ...look, text: whole }] : readSpans(label, { ...look, href })
}
