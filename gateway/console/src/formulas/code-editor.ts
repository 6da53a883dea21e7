import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { pythonLanguage } from '@codemirror/lang-python'
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language'
import {
  lintGutter,
  lintKeymap,
  setDiagnostics,
  setDiagnosticsEffect,
  type Diagnostic,
} from '@codemirror/lint'
import { EditorState, StateField, type Extension, type Text } from '@codemirror/state'
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  repositionTooltips,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { suggest, type FormulaNames, type Suggestion } from './completions'
import { editorTheme } from './editor-theme'
import type { Problem } from './formula-check'

/** What an editor of a formula needs. */
export interface CodeEditorOptions {
  readonly label: string
  readonly formula: string
  readonly isReadOnly: boolean
  readonly names: () => FormulaNames
  readonly onChange: (formula: string) => void
}

/** An editor of a formula. */
export interface CodeEditor {
  /** Marks problems, in place of those before. */
  readonly setProblems: (problems: readonly Problem[]) => void
  readonly focus: () => void
  readonly destroy: () => void
}

/**
 * Opens an editor in a shadow root: only there does CodeMirror use constructed style sheets, which the Content-Security-Policy
 * permits.
 */
export function openEditor(root: ShadowRoot, options: CodeEditorOptions): CodeEditor {
  const { label, formula, isReadOnly, onChange } = options
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: formula,
      extensions: [
        lineNumbers(),
        history(),
        pythonLanguage,
        syntaxHighlighting(highlighting),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of('  '),
        columnMarks,
        problemLines,
        lintGutter(),
        isReadOnly ? EditorState.readOnly.of(true) : editing(options),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
        editorTheme,
      ],
    }),
  })
  return {
    setProblems: (problems) => {
      const { state } = view
      const marks = problems.flatMap((problem) => toDiagnostic(problem, state.doc))
      view.dispatch(setDiagnostics(state, marks))
      // The results that come with the problems resize the dialog, and so move the editor under an open list.
      repositionTooltips(view)
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

/**
 * Replaces selected text that is typed over. The browser would copy its colours into the new text as an inline style, which the
 * Content-Security-Policy forbids.
 */
const typingOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType, isComposing } = event
    const { state } = view
    const { from, to, empty } = state.selection.main
    if (inputType !== 'insertText' || data === null || isComposing || empty) return false
    event.preventDefault()
    const insert = () => state.update(state.replaceSelection(data), { userEvent: 'input.type' })
    const isHandled = state
      .facet(EditorView.inputHandler)
      .some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

/** Tab is left to the browser, so that the keyboard can leave the editor. */
function editing({ names }: CodeEditorOptions): Extension {
  return [
    closeBrackets(),
    typingOverSelection,
    autocompletion({ override: [(context) => complete(context, names())], icons: false }),
    keymap.of([
      { key: 'Tab', run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      ...lintKeymap,
      ...defaultKeymap,
    ]),
  ]
}

async function complete(
  context: CompletionContext,
  names: FormulaNames,
): Promise<CompletionResult | null> {
  const found = await suggest(context.state.sliceDoc(0, context.pos), names, context.explicit)
  if (!found || context.aborted) return null
  return { from: found.from, options: found.options.map(toCompletion), validFor: /^\w*$/ }
}

function toCompletion({ label, insert = label, kind, detail, info }: Suggestion): Completion {
  return {
    label,
    type: kind,
    detail,
    info,
    // What belongs to the row comes before what is the same everywhere.
    boost: kind === 'column' ? 2 : kind === 'table' ? 1 : 0,
    apply: (view, _, from, to) => {
      view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length } })
      // The keywords of a lookup follow.
      if (kind === 'method' && insert.endsWith('(')) startCompletion(view)
    },
  }
}

function toDiagnostic({ line: number, column, length, message }: Problem, doc: Text): Diagnostic[] {
  if (number < 1 || number > doc.lines) return []
  const line = doc.line(number)
  const from = Math.min(line.to, line.from + Math.max(0, column - 1))
  const isWhole = column === 0 || length === 0
  const start = column === 0 ? line.from : from
  return [
    {
      from: start,
      to: isWhole ? line.to : Math.min(line.to, from + length),
      severity: 'error',
      message,
    },
  ]
}

/** `$A` and `$A.B`, which Python's grammar does not know. */
const matcher = new MatchDecorator({
  regexp: /(?<!\w)\$[A-Za-z_]\w*/g,
  decoration: Decoration.mark({ class: 'cm-column' }),
})
const columnMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet
    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view)
    }
    update(update: ViewUpdate) {
      this.decorations = matcher.updateDeco(update, this.decorations)
    }
  },
  { decorations: ({ decorations }) => decorations },
)

const problemLine = Decoration.line({ class: 'cm-problemLine' })
const problemLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setDiagnosticsEffect))
    if (!set) return lines.map(changes)
    const starts = set.value.map(({ from }) => newDoc.lineAt(from).from)
    const unique = [...new Set(starts)].sort((a, b) => a - b)
    return Decoration.set(unique.map((start) => problemLine.range(start)))
  },
  provide: (lines) => EditorView.decorations.from(lines),
})

const highlighting = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], class: 'cm-keyword' },
  { tag: [tags.string, tags.special(tags.string)], class: 'cm-string' },
  { tag: tags.number, class: 'cm-number' },
  { tag: tags.comment, class: 'cm-comment' },
])
