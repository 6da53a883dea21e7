import { describeKit } from './describe-kit'
import { deviations, readKnownFailures } from './known-failures'

it('each known failure is a deviation that is explained', () => {
  const causes = new Set(Object.values(readKnownFailures()).flatMap(Object.values))
  expect([...causes].sort()).toEqual(Object.keys(deviations).sort())
})

describeKit('the conformance kit', { outcome: 'conformance.json', isRecorded: true })
