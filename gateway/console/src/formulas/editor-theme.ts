import { EditorView } from '@codemirror/view'

/** The look of the editor, in the colours of the console. */
export const editorTheme = EditorView.theme({
  '&': {
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--round)',
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    fontSize: '0.95rem',
  },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': {
    minHeight: '5.5rem',
    maxHeight: '40vh',
    overflow: 'auto',
    fontFamily: 'var(--mono)',
    lineHeight: '1.5',
  },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { border: '0', backgroundColor: 'var(--sunken)', color: 'var(--muted)' },
  '.cm-gutter-lint': { width: '1.1em' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-problemLine': { backgroundColor: 'var(--danger-soft)' },
  '.cm-column': { color: 'var(--accent-strong)', fontWeight: '600' },
  '.cm-keyword': { fontWeight: '600' },
  '.cm-string': { color: 'var(--string)' },
  '.cm-number': { color: 'var(--focus)' },
  '.cm-comment': { color: 'var(--muted)', fontStyle: 'italic' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': {
    outline: '1px solid var(--line-strong)',
    backgroundColor: 'transparent',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--round)',
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    boxShadow: 'var(--shadow)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    maxWidth: 'min(34rem, 88vw)',
    maxHeight: '14rem',
    fontFamily: 'var(--mono)',
    fontSize: '0.85rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    padding: '0.2rem 0.6rem',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--accent-strong)',
  },
  '.cm-completionDetail': { marginLeft: '0.4rem', color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-tooltip.cm-completionInfo': {
    width: 'max-content',
    maxWidth: 'min(20rem, 80vw)',
    padding: '0.4rem 0.6rem',
    fontFamily: 'var(--font)',
    fontSize: '0.85rem',
  },
  // Without room beside the list, CodeMirror would put the explanation over the suggestions next to the selected one.
  '.cm-completionInfo-left-narrow.cm-completionInfo, .cm-completionInfo-right-narrow.cm-completionInfo':
    { inset: '100% auto auto 0 !important' },
  '.cm-tooltip-above > .cm-completionInfo-left-narrow.cm-completionInfo, .cm-tooltip-above > .cm-completionInfo-right-narrow.cm-completionInfo':
    { inset: 'auto auto 100% 0 !important' },
  '.cm-diagnostic': { padding: '0.3rem 0.6rem', fontFamily: 'var(--font)', fontSize: '0.85rem' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)' },
})
