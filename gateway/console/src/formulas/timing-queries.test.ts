import { describeOpenCells, type FormulaTiming } from './timing-queries'

const computed: FormulaTiming = {
  ...{ tableId: 'Orders', colId: 'Total', colRef: 1, cells: 2, errors: 0, milliseconds: 1 },
  ...{ pendingRows: 0, stopped: null, engine: 'compiled', pythonReason: null, compiledCells: 2 },
  ...{ isTrigger: false, dueCells: 0, missedCells: 0 },
}

it('cells that are not computed are counted by their state', () => {
  expect(describeOpenCells(computed)).toBe('')
  expect(describeOpenCells({ ...computed, pendingRows: 1 })).toBe('1 pending')
  expect(describeOpenCells({ ...computed, dueCells: 2000, missedCells: 3 })).toBe(
    '2,000 due, 3 missed',
  )
})
