import { withFreshPorts } from './ports'
import { PortTakenError, StartError } from './start-error'

describe('withFreshPorts', () => {
  it('retries, a limited number of times, when another process takes a port that was free', async () => {
    const starts = [0, 1, 5].map((failures) => {
      let calls = 0
      return withFreshPorts(() =>
        ++calls <= failures
          ? Promise.reject(new PortTakenError('in use'))
          : Promise.resolve(`start ${calls}`),
      ).catch(() => `given up after ${calls}`)
    })
    expect(await Promise.all(starts)).toEqual(['start 1', 'start 2', 'given up after 3'])
  })

  it('does not retry after any other error', async () => {
    const start = jest.fn(() => Promise.reject(new StartError('no disk')))
    await expect(withFreshPorts(start)).rejects.toThrow('no disk')
    expect(start).toHaveBeenCalledTimes(1)
  })
})
