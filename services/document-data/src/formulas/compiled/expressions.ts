import {
  childrenOf,
  textOf,
  type FormulaTree,
  type SyntaxNode,
} from '@sheaf/formula-text/formula-tree'
import { compileCall } from './calls'
import type { FormulaParts, Part, PartCompiler } from './formula-parts'
import type { Run } from './frame'
import { dateAttributes } from './library/date-functions'
import { allRows, findTable } from './lookups'
import { numberLiteral, requireNoNumber, stringLiteral, unescape } from './literals'
import { negate, numeric, plus, textOf as toText } from './values/numbers'
import { formatted } from './values/format-spec'
import { arithmeticRun } from './arithmetic-run'
import { arithmetic, comparisons } from './values/operators'
import { joined } from './values/text-bounds'
import { item, slice } from './library/text'
import { Unsupported } from './unsupported'
import type { RecordsValue } from './values/values'
import { isTrue, ListValue, needsPython, RecordValue, stepsOf, type Value } from './values/values'

/** Expressions inside each other. */
const MAX_DEPTH = 200

/** Compiles the expressions of one formula. Throws Unsupported. */
export class ExpressionCompiler implements PartCompiler {
  private depth = 0

  constructor(
    readonly parsed: FormulaTree,
    readonly parts: FormulaParts,
  ) {}

  /** See PartCompiler. */
  compile(node: SyntaxNode): Part {
    if (++this.depth > MAX_DEPTH) throw new Unsupported('expressions nested deeply')
    const part = this.part(node, childrenOf(node))
    this.depth--
    return part
  }

  /** See PartCompiler. */
  run(node: SyntaxNode | undefined): Run {
    if (!node) throw new Unsupported('syntax')
    return this.compile(node).run
  }

  /** See PartCompiler. */
  text(node: SyntaxNode): string {
    return textOf(this.parsed, node)
  }

  /** See PartCompiler. */
  columnOf({ from }: SyntaxNode): number {
    return from - this.parsed.formula.slice(0, from).lastIndexOf('\n') - 1
  }

  private part(node: SyntaxNode, children: readonly SyntaxNode[]): Part {
    switch (node.name) {
      case 'VariableName':
        return this.name(this.text(node))
      case 'MemberExpression':
        return this.member(children)
      case 'CallExpression':
        return compileCall(this, children)
      case 'ParenthesizedExpression':
        return children.length === 3 && children[1] ? this.compile(children[1]) : unsupported(node)
      case 'ArrayComprehensionExpression':
        return { run: this.comprehension(children) }
      default:
        return { run: this.value(node, children) }
    }
  }

  private value(node: SyntaxNode, children: readonly SyntaxNode[]): Run {
    switch (node.name) {
      case 'Number':
        return constant(numberLiteral(this.text(node)))
      case 'String':
        return constant(stringLiteral(this.text(node)))
      case 'FormatString':
        return this.formatString(node, children)
      case 'Boolean':
        return constant(this.text(node) === 'True')
      case 'None':
        return constant(null)
      case 'BinaryExpression':
        return this.binary(children)
      case 'UnaryExpression':
        return this.unary(children)
      case 'ConditionalExpression':
        return this.conditional(children)
      case 'ArrayExpression':
        return this.list(children, false)
      case 'TupleExpression':
        return this.list(children, true)
      default:
        return unsupported(node)
    }
  }

  private name(name: string): Part {
    const { parts } = this
    if (name.startsWith('$')) return parts.attribute(this.ownRow(), name.slice(1))
    const known = parts.names.get(name)
    if (known) {
      const { place, records } = known
      // An unassigned name is an error, which is Python's.
      return {
        run: ({ names }) => names[place] ?? (names[place] === null ? null : needsPython()),
        records,
      }
    }
    if (name === 'rec') return parts.own
    throw new Unsupported(`the name ${name}`)
  }

  private ownRow(): Part & { readonly records: NonNullable<Part['records']> } {
    const { run, records } = this.parts.own
    if (!records || this.parts.names.has('rec')) throw new Unsupported('another rec')
    return { run, records }
  }

  private member([owner, sign, ...rest]: readonly SyntaxNode[]): Part {
    if (!owner) throw new Unsupported('syntax')
    if (this.isAll(owner, rest)) return this.all(owner)
    const part = this.compile(owner)
    if (sign?.name === '[') return this.subscript(part, rest.slice(0, -1))
    requireNoNumber(owner)
    const [property] = rest
    const name = property ? this.text(property) : ''
    const { run, records, found } = part
    if (records) return this.parts.attribute({ run, records, found }, name)
    const attribute = Object.hasOwn(dateAttributes, name) ? dateAttributes[name] : undefined
    if (!attribute) throw new Unsupported(`the attribute ${name}`)
    return { run: (frame) => attribute(run(frame)) }
  }

  private isAll(owner: SyntaxNode, [property]: readonly SyntaxNode[]): boolean {
    const isName = owner.name === 'VariableName' && property?.name === 'PropertyName'
    return isName && this.text(property) === 'all'
  }

  private all(owner: SyntaxNode): Part {
    const table = findTable(this, owner)
    if (!table) throw new Unsupported('the attribute all')
    return allRows(this, table, [])
  }

  private subscript({ run, records }: Part, nodes: readonly SyntaxNode[]): Part {
    const colon = nodes.findIndex(({ name }) => name === ':')
    if (colon < 0 && nodes.length === 1) {
      const place = this.run(nodes[0])
      if (!records) return { run: (frame) => item(run(frame), place(frame)) }
      if (!records.isList) throw new Unsupported('an item of a record')
      const at: Run = (frame) => {
        const { table, rows } = run(frame) as RecordsValue
        const row = item(new ListValue(rows.map(BigInt)), place(frame))
        return new RecordValue(table, Number(row))
      }
      return { run: at, records: { ...records, isList: false } }
    }
    if (records || nodes.length > 3 || nodes.length - colon > 2) throw new Unsupported('a slice')
    const [from, to] = [nodes.slice(0, colon), nodes.slice(colon + 1)].map(([end]) =>
      end ? this.run(end) : constant(null),
    )
    if (!from || !to) throw new Unsupported('a slice')
    return { run: (frame) => slice(run(frame), from(frame), to(frame)) }
  }

  private binary(children: readonly SyntaxNode[]): Run {
    const [left, sign, ...rest] = children
    const right = rest.at(-1)
    if (!left || !sign || !right) throw new Unsupported('syntax')
    if (sign.name === 'and' || sign.name === 'or') return this.logical(left, sign.name, right)
    if (sign.name !== 'ArithOp' && sign.name !== 'BitOp') return this.comparison(children)
    const name = this.text(sign)
    const operate = Object.hasOwn(arithmetic, name) ? arithmetic[name] : undefined
    if (!operate) throw new Unsupported(`the operator ${name}`)
    return arithmeticRun(operate, this.compile(left), this.compile(right))
  }

  private logical(left: SyntaxNode, sign: 'and' | 'or', right: SyntaxNode): Run {
    const [a, b] = [this.run(left), this.run(right)]
    const endsWith = sign === 'or'
    return (frame) => {
      const value = a(frame)
      return isTrue(value) === endsWith ? value : b(frame)
    }
  }

  /** Comparisons, which may be chained: `a < b < c`. */
  private comparison(children: readonly SyntaxNode[]): Run {
    const operands: Run[] = []
    const tests: ((left: Value, right: Value) => boolean)[] = []
    const collect = ([left, ...rest]: readonly SyntaxNode[]): void => {
      const right = rest.at(-1)
      const inner = left?.name === 'BinaryExpression' ? childrenOf(left) : []
      if (isComparison(inner)) collect(inner)
      else operands.push(this.run(left))
      // Python refuses `a == not b`.
      if (right?.name === 'UnaryExpression' && right.firstChild?.name === 'not')
        throw new Unsupported('syntax')
      const sign = rest
        .slice(0, -1)
        .map((part) => this.text(part))
        .join(' ')
      const test = Object.hasOwn(comparisons, sign) ? comparisons[sign] : undefined
      if (!test) throw new Unsupported(`the operator ${sign}`)
      tests.push(test)
      operands.push(this.run(right))
    }
    collect(children)
    return (frame) => {
      let left = operands[0]?.(frame) ?? null
      for (let i = 0; i < tests.length; i++) {
        const right = operands[i + 1]?.(frame) ?? null
        if (!tests[i]?.(left, right)) return false
        left = right
      }
      return true
    }
  }

  private unary([sign, operand]: readonly SyntaxNode[]): Run {
    if (!sign || !operand) throw new Unsupported('syntax')
    const value = this.run(operand)
    if (sign.name === 'not') {
      // The grammar takes `not a and b` for `not (a and b)`.
      const [, inner] = operand.name === 'BinaryExpression' ? childrenOf(operand) : []
      if (inner?.name === 'and' || inner?.name === 'or') throw new Unsupported('not before and, or')
      return (frame) => !isTrue(value(frame))
    }
    const name = this.text(sign)
    if (name === '-') return (frame) => negate(numeric(value(frame)))
    if (name === '+') return (frame) => plus(numeric(value(frame)), 0n)
    throw new Unsupported(`the operator ${name}`)
  }

  private conditional([yes, , test, , no]: readonly SyntaxNode[]): Run {
    const [a, condition, b] = [this.run(yes), this.run(test), this.run(no)]
    return (frame) => (isTrue(condition(frame)) ? a(frame) : b(frame))
  }

  /** See PartCompiler: `[a for x in records if b]`, and the same in a call. */
  comprehension(children: readonly SyntaxNode[]): Run {
    const { result, variable, source, test } = loopOf(children)
    const { run, records } = this.compile(source)
    const name = this.text(variable)
    if (!records?.isList || this.parts.names.has(name)) throw new Unsupported('a loop')
    const place = this.parts.addPlace()
    this.parts.names.set(name, { place, records: { ...records, isList: false } })
    const value = this.run(result)
    const condition = test ? this.run(test) : constant(true)
    this.parts.names.delete(name)
    return (frame) => {
      const { table, rows } = run(frame) as RecordsValue
      const items: Value[] = []
      for (const row of rows) {
        frame.source.spend(1)
        frame.names[place] = new RecordValue(table, row)
        if (!isTrue(condition(frame))) continue
        const item = value(frame)
        frame.source.spend(stepsOf(item))
        items.push(item)
      }
      return new ListValue(items)
    }
  }

  private formatString(node: SyntaxNode, children: readonly SyntaxNode[]): Run {
    const text = this.text(node)
    const quote = /^[fF](["'])(?!\1\1)/.exec(text)?.[1]
    if (quote === undefined) throw new Unsupported('a formatted string of another kind')
    const pieces: Run[] = []
    let at = node.from + 2
    const addText = (to: number) => {
      const piece = this.parsed.formula.slice(at, to).replace(/\{\{/g, '{').replace(/\}\}/g, '}')
      pieces.push(constant(unescape(piece)))
    }
    for (const child of children) {
      if (child.name !== 'FormatReplacement') continue
      addText(child.from)
      pieces.push(this.formatReplacement(childrenOf(child)))
      at = child.to
    }
    addText(node.to - 1)
    return (frame) =>
      joined(
        pieces.map((piece) => piece(frame) as string),
        '',
      )
  }

  /** `{value}`, `{value!s}` and `{value:spec}` of a formatted string. */
  private formatReplacement(children: readonly SyntaxNode[]): Run {
    const [open, value, ...rest] = children
    const names = rest.map(({ name }) => name).join(' ')
    const [option] = rest
    const run = this.run(value)
    if (open?.name !== '{') throw new Unsupported('a format')
    if (names === '}') return (frame) => toText(run(frame))
    const text = option ? this.text(option) : ''
    if (names === 'FormatConversion }' && text === '!s') return (frame) => toText(run(frame))
    if (names !== 'FormatSpec }' || /[{}\\]/.test(text)) throw new Unsupported('a format')
    return (frame) => formatted(run(frame), text.slice(1))
  }

  private list(children: readonly SyntaxNode[], isTuple: boolean): Run {
    const inner = children.slice(1, -1)
    const items = inner.filter(({ name }) => name !== ',').map((node) => this.run(node))
    const commas = inner.length - items.length
    if (commas > items.length || commas < items.length - 1) throw new Unsupported('syntax')
    return (frame) =>
      new ListValue(
        items.map((item) => item(frame)),
        isTuple,
      )
  }
}

/** The parts of a comprehension over one variable, with at most one condition. */
function loopOf([, result, , variable, , source, ...more]: readonly SyntaxNode[]) {
  const [filter, test] = more.length === 3 ? more : []
  const isSimple = filter?.name === 'if' || more.length === 1
  if (!result || variable?.name !== 'VariableName' || !source || !isSimple)
    throw new Unsupported('a loop')
  return { result, variable, source, test }
}

function isComparison([, sign]: readonly SyntaxNode[]): boolean {
  return sign !== undefined && ['CompareOp', 'in', 'not', 'is'].includes(sign.name)
}

function constant(value: Value): Run {
  return () => value
}

const KINDS: Readonly<Record<string, string>> = {
  LambdaExpression: 'a function of its own',
  DictionaryExpression: 'a dictionary',
  SetExpression: 'a set',
  AwaitExpression: 'await',
}

function unsupported({ name }: SyntaxNode): never {
  throw new Unsupported(KINDS[name] ?? 'syntax')
}
