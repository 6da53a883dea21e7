import { TestEvaluator } from '../support/test-evaluator'

const MIB = 1024 * 1024
const nested = (code: string) => `value = []\nfor _ in range(100_000): value = [value]\n${code}`

describe('hostile formulas', () => {
  it.each([
    ['an endless loop', 'while True: pass'],
    ['a power', 'result = 10 ** 10 ** 9'],
    ['a regular expression', 'import re; re.match("(a+)+$", "a" * 40 + "b")'],
    ['an endless iteration in C', 'import itertools; sum(itertools.repeat(1))'],
    ['a sleep', 'import time; time.sleep(1e9)'],
    [
      'an interrupt that is caught',
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    ],
  ])('%s is killed from outside, and by its processor time', async (_, code) => {
    await using evaluator = await TestEvaluator.start({ cpuSeconds: 3 })
    const outcome = await evaluator.run(code)
    expect(outcome).toMatchObject({ type: 'exit', exit: { cause: 'exited', signal: 'SIGKILL' } })
    await using second = await TestEvaluator.start()
    const running = second.run(code)
    setTimeout(() => second.process.kill(), 1000)
    expect(await running).toMatchObject({ type: 'exit', exit: { cause: 'killed' } })
  })

  it.each([
    ['a list', 'value = []\nwhile True: value.append(bytearray(1_000_000))'],
    ['a text', 'value = "x"\nwhile True: value += value'],
    ['numbers', 'value = list(range(10**9))'],
    ['a dictionary', 'value = {}\nwhile True: value[len(value)] = [0] * 100'],
    ['a file', 'file = open("/tmp/large", "wb")\nwhile True: file.write(b"x" * 1_000_000)'],
    ['one large value', 'value = bytearray(2**31 - 1)'],
    [
      'memory errors that are caught',
      'kept = []\nwhile True:\n    try: kept.append(bytearray(10_000_000))\n    except MemoryError: kept.append(0)',
    ],
  ])('memory for %s ends in an error or the end of the process', async (_, code) => {
    const memoryBytes = 300 * MIB
    await using evaluator = await TestEvaluator.start({ memoryBytes, cpuSeconds: 20 })
    const outcome = await evaluator.run(code)
    if (outcome.type === 'failed') expect(outcome).toMatchObject({ name: 'MemoryError' })
    else expect(outcome.type).toBe('exit')
  })

  it('is killed for its memory while it works, and says so', async () => {
    await using evaluator = await TestEvaluator.start({ memoryBytes: 300 * MIB, cpuSeconds: 20 })
    const code = 'value = [bytearray(b"x" * 1_000_000) for _ in range(250)]\nwhile True: pass'
    expect(await evaluator.run(code)).toMatchObject({ type: 'exit', exit: { cause: 'memory' } })
  })

  it.each([
    ['calls', 'def call(n): return call(n + 1)\ncall(0)'],
    ['calls through sorted', 'call = lambda n: sorted([n], key=lambda _: call(n + 1))\ncall(0)'],
    ['calls through map', 'call = lambda n: list(map(call, [n]))\ncall(0)'],
    ['repr', 'class A:\n    def __repr__(self): return repr(self)\nrepr(A())'],
    ['comparisons', 'class A:\n    def __eq__(self, other): return [self] == [other]\nA() == A()'],
    [
      'attributes',
      'class A:\n    def __getattr__(self, name): return getattr(self, name + "a")\nA().x',
    ],
    ['hashes', 'class A:\n    def __hash__(self): return hash((self,))\nhash(A())'],
    ['a nested list', nested('repr(value)')],
    ['a nested list as JSON', nested('import json; json.dumps(value)')],
    ['a copy of a nested list', nested('import copy; copy.deepcopy(value)')],
    ['a pickle of a nested list', nested('import pickle; pickle.dumps(value)')],
    ['a long sum', 'eval("+".join(["1"] * 100_000))'],
    ['a long path', 'compile("a." * 50_000 + "b", "", "eval")'],
    ['a nested pattern', 'import re; re.compile("(" * 10_000 + ")" * 10_000)'],
    [
      'cached calls',
      'import functools\n@functools.cache\ndef call(n): return call(n + 1)\ncall(0)',
    ],
  ])('recursion by %s is a RecursionError, after which the process is usable', async (_, code) => {
    await using evaluator = await TestEvaluator.start()
    expect(await evaluator.run(code)).toMatchObject({ type: 'failed', name: 'RecursionError' })
    expect(await evaluator.run('result = 1')).toEqual({ type: 'ran', value: '1' })
  })

  it('ends a process that sends a frame which is too large', async () => {
    await using evaluator = await TestEvaluator.start()
    const code = 'result = "x" * 70_000_000'
    const outcome = await evaluator.run(code)
    expect(outcome.type).toBe('exit')
  })

  it('drops a large output', async () => {
    await using evaluator = await TestEvaluator.start()
    const code = 'for _ in range(100): print("x" * 1_000_000)'
    expect(await evaluator.run(code)).toEqual({ type: 'ran', value: 'None' })
  })
})
