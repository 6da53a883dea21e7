import type { ICellRendererParams, SuppressKeyboardEventParams } from 'ag-grid-community'
import type { ReactNode } from 'react'
import type { Row } from '../api/resources'
import { readLink } from '../formats/link'
import { readMarkdown, type MarkdownSpan } from '../formats/markdown'
import { formatValue } from '../formats/value'

type TextCellProps = ICellRendererParams<Row, unknown>

/** Links open in a page of their own, which learns nothing of this one. */
const elsewhere = { target: '_blank', rel: 'noopener noreferrer', tabIndex: -1 } as const

/** A text with a link, which its icon opens; a click with Ctrl does as well. */
export function LinkCell({ value }: TextCellProps): ReactNode {
  const link = typeof value === 'string' ? readLink(value) : undefined
  if (!link) return formatValue(value)
  return (
    <span
      className="cell-link"
      onClick={({ ctrlKey, metaKey, target }) => {
        if ((ctrlKey || metaKey) && !(target instanceof HTMLAnchorElement)) openPage(link.href)
      }}
    >
      <a {...elsewhere} href={link.href} title={link.href} aria-label={`Open ${link.href}`}>
        ↗
      </a>
      <span className="cell-link-text">{link.text}</span>
    </span>
  )
}

/** Opens the link of the focused cell by Alt+Enter. Returns true if it did. */
export function openLink(
  { event, editing, data }: SuppressKeyboardEventParams<Row>,
  colId: string,
): boolean {
  if (editing || event.key !== 'Enter' || !event.altKey) return false
  const value = data?.fields[colId]
  const link = typeof value === 'string' ? readLink(value) : undefined
  if (!link) return false
  if (event.type === 'keydown' && !event.repeat) openPage(link.href)
  return true
}

const openPage = (href: string): void => {
  window.open(href, elsewhere.target, 'noopener,noreferrer')
}

/** A text with Markdown. */
export function MarkdownCell({ value }: TextCellProps): ReactNode {
  if (typeof value !== 'string') return formatValue(value)
  return readMarkdown(value).map((span, index) => <Span key={index} span={span} />)
}

function Span({ span }: { readonly span: MarkdownSpan }): ReactNode {
  const { text, isBold, isItalic, isCode, href } = span
  const code = isCode ? <code>{text}</code> : text
  const slanted = isItalic ? <em>{code}</em> : code
  const bold = isBold ? <strong>{slanted}</strong> : slanted
  if (href === undefined) return bold
  return (
    <a {...elsewhere} href={href} title={href}>
      {bold}
    </a>
  )
}
