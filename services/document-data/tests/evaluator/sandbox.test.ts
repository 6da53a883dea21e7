import { files, modules, objects, system, type Attempt } from '../support/sandbox-attempts'
import { TestEvaluator, type Outcome } from '../support/test-evaluator'

/** What came of an attempt, as the table writes it. */
function describeOutcome(outcome: Outcome): unknown {
  if (outcome.type === 'ran' && 'value' in outcome) return outcome.value
  if (outcome.type === 'failed' && 'name' in outcome) return outcome.name
  return outcome.type
}

describe('formulas reach nothing outside their process', () => {
  let evaluator: TestEvaluator
  beforeEach(async () => {
    if (!evaluator || evaluator.process.hasExited) evaluator = await TestEvaluator.start()
  })
  afterAll(() => evaluator[Symbol.asyncDispose]())

  const attempt = async (code: string, outcome: string) => {
    const found = await evaluator.run(code)
    expect({ found: describeOutcome(found), detail: found }).toEqual({
      found: outcome,
      detail: found,
    })
    if (outcome === 'exit') return
    expect(await evaluator.run('result = 6 * 7')).toEqual({ type: 'ran', value: '42' })
  }
  const table = (attempts: readonly Attempt[]) => [...attempts]

  it.each(table(modules))('modules: %s', (_, code, outcome) => attempt(code, outcome))
  it.each(table(objects))('objects: %s', (_, code, outcome) => attempt(code, outcome))
  it.each(table(files))('files: %s', (_, code, outcome) => attempt(code, outcome))
  it.each(table(system))('system: %s', (_, code, outcome) => attempt(code, outcome))
})
