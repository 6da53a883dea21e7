import type { SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { PartCompiler } from './formula-parts'
import type { Run } from './frame'
import { parametersOf, takesArguments } from './library/functions'
import { Unsupported } from './unsupported'

/** The arguments of a call that has nothing but values. */
export function plainArguments(nodes: readonly SyntaxNode[]): SyntaxNode[] {
  return splitArguments(nodes).map(onlyNode)
}

function onlyNode([value, ...more]: readonly SyntaxNode[]): SyntaxNode {
  if (!value || more.length > 0) throw new Unsupported('arguments by name')
  return value
}

/** The values of the arguments of a function, with defaults in place of those that are not given. */
export function functionArguments(
  compiler: PartCompiler,
  name: string,
  nodes: readonly SyntaxNode[],
): Run[] {
  const given = splitArguments(nodes)
  const isByName = ([, sign]: readonly SyntaxNode[]) => sign?.name === 'AssignOp'
  const count = given.findIndex(isByName)
  const places = (count < 0 ? given : given.slice(0, count)).map(onlyNode)
  if (!takesArguments(name, places.length)) throw new Unsupported(`the arguments of ${name}`)
  const runs = places.map((node) => compiler.run(node))
  if (count < 0) return runs
  const parameters = parametersOf(name)
  for (const [key, sign, value, ...more] of given.slice(count)) {
    const keyText = key ? compiler.text(key) : ''
    const place = parameters.findIndex(([parameter]) => parameter === keyText)
    // In another order, another one of several errors would come first.
    if (sign?.name !== 'AssignOp' || place < runs.length || more.length > 0)
      throw new Unsupported(`the arguments of ${name}`)
    for (const [, otherwise] of parameters.slice(runs.length, place)) runs.push(() => otherwise)
    runs.push(compiler.run(value))
  }
  return runs
}

/** The nodes of each argument, from the brackets and what is between them. */
function splitArguments(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const inner = nodes.slice(1, -1)
  if (inner.length === 0) return []
  const groups: SyntaxNode[][] = [[]]
  for (const node of inner)
    if (node.name === ',') groups.push([])
    else groups.at(-1)?.push(node)
  return groups
}
