import ts from 'typescript'

const levels = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** The fields of the objects that a source file hands to a logger: `log.info({ … }, '…')`, `log[level]({ … }, '…')`. */
export function readLogFields(text: string): string[] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const fields: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && isLogger(node.expression, file)) {
      const [first] = node.arguments
      if (first && ts.isObjectLiteralExpression(first))
        for (const property of first.properties)
          fields.push(property.name?.getText(file) ?? property.getText(file))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return fields
}

function isLogger(callee: ts.Expression, file: ts.SourceFile): boolean {
  if (ts.isPropertyAccessExpression(callee))
    return levels.has(callee.name.text) && endsInLog(callee.expression, file)
  return ts.isElementAccessExpression(callee) && endsInLog(callee.expression, file)
}

const endsInLog = (expression: ts.Expression, file: ts.SourceFile): boolean =>
  /(^|\.)log$/.test(expression.getText(file))
