import { describeKit } from './describe-kit'

describeKit('the conformance kit with all formulas in Python', {
  settings: { SHEAF_FORMULA_COMPILER: 'false' },
  outcome: 'conformance-python.json',
  isRecorded: false,
})
