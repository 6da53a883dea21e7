// House rules that no published plugin provides.
import { relative, sep } from 'node:path'

const bannedName =
  /^(utils?|helpers?|common|misc|lib|shared|base|manager|types)$|[-.](utils?|helpers?|manager)$/
const kebabCase = /^\.?[a-z0-9]+([-.][a-z0-9]+)*$/

/** File names must be kebab-case. */
const fileName = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program(node) {
      const steps = relative(context.cwd, context.filename).split(sep)
      steps.push(steps.pop().replace(/(\.test)?\.[cm]?[jt]sx?$/, ''))
      for (const step of steps) {
        if (bannedName.test(step)) {
          context.report({ node, message: `"${step}" says nothing: name it after what it is for` })
        } else if (!kebabCase.test(step)) {
          context.report({ node, message: `"${step}" is not in kebab-case` })
        }
      }
    },
  }),
}

/** Open work belongs in an issue; a comment may only refer to one. */
const noBareTodo = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (!/\b(TODO|FIXME|XXX)\b(?!\(#\d+\))/.test(comment.value)) continue
        context.report({ loc: comment.loc, message: 'finish it, or file an issue: TODO(#123)' })
      }
    },
  }),
}

/** A skipped or focused test makes a passing run meaningless; conditional skips are permitted. */
const noDisabledTests = {
  meta: { type: 'problem', schema: [] },
  create: (context) => ({
    CallExpression({ callee }) {
      const text = context.sourceCode.getText(callee)
      if (!/^((it|test|describe)\.(only|skip|todo)|[xf](it|describe|test))\b/.test(text)) return
      context.report({ node: callee, message: `no ${text}: every test runs` })
    },
  }),
}

export const sheafPlugin = {
  rules: {
    'file-name': fileName,
    'no-bare-todo': noBareTodo,
    'no-disabled-tests': noDisabledTests,
  },
}
