import { isNewEnough } from './nats-release'

describe('isNewEnough', () => {
  it.each([
    ['nats-server: v2.10.0', true],
    ['nats-server: v2.14.0\n', true],
    ['nats-server: v2.10.29-RC.1', true],
    ['nats-server: v3.0.0', true],
    ['nats-server: v2.9.25', false],
    ['nats-server: v1.11.0', false],
    ['nats-server: unknown', false],
  ])('answers for %j: %s', (printed, expected) => {
    expect(isNewEnough(printed)).toBe(expected)
  })
})
