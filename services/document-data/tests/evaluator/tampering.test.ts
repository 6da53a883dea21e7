import { TestEvaluator } from '../support/test-evaluator'

/** Python that changes what the evaluator itself uses. Later formulas of the document may suffer, nothing else. */
const changes: [what: string, code: string][] = [
  ['len', 'import builtins; builtins.len = lambda one: 0'],
  ['print', 'import builtins; builtins.print = None'],
  ['json.loads', 'import json; json.loads = lambda text: {"type": "run", "code": "result = 1"}'],
  ['json.dumps', 'import json; json.dumps = lambda value: "{}"'],
  ['json itself', 'import sys; sys.modules["json"] = None'],
  ['sys.modules', 'import sys; sys.modules.clear()'],
  ['os.write', 'import os; os.write = lambda *_: 0'],
  ['os.readv', 'import os; os.readv = None'],
  [
    'the descriptor of the exchange',
    'import os\nfor number in range(16):\n    try: os.close(number)\n    except OSError: pass',
  ],
  [
    'bytes in the exchange',
    'import os\nfor number in range(3, 16):\n    try: os.write(number, b"\\0\\0\\0\\1x")\n    except OSError: pass',
  ],
  [
    'a length in the exchange',
    'import os\nfor number in range(3, 16):\n    try: os.write(number, b"\\xff" * 8)\n    except OSError: pass',
  ],
  ['input taken from the exchange', 'import os, sys\nos.readv = lambda *_: 1'],
  [
    'the functions that exchange',
    'import sys\nframe = sys._getframe()\nwhile frame:\n    for value in list(frame.f_globals.values()):\n        if hasattr(value, "__code__"):\n            value.__code__ = (lambda *_: b"{}").__code__\n    frame = frame.f_back',
  ],
  ['the recursion limit', 'import sys; sys.setrecursionlimit(10**9)'],
  ['the garbage collector', 'import gc; gc.disable()'],
  ['a trace', 'import sys; sys.settrace(lambda *_: 1 / 0)'],
  ['an exit handler', 'import atexit; atexit.register(lambda: 1 / 0)'],
  ['a signal handler', 'import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)'],
  ['the library', 'import sheaf; sheaf.server.run = None; del sys.modules["sheaf.server"]'],
  ['a name of the library', 'import types, sys; sys.modules["sheaf"] = types.ModuleType("sheaf")'],
  ['an exception at exit', 'raise SystemExit(3)'],
  ['an interrupt', 'raise KeyboardInterrupt'],
  ['the end of generators', 'raise GeneratorExit'],
]

describe('formulas that change what the evaluator uses', () => {
  let other: TestEvaluator
  beforeAll(async () => (other = await TestEvaluator.start()))
  afterAll(() => other[Symbol.asyncDispose]())

  it.each(changes)('%s: the process answers with messages or ends alone', async (_, code) => {
    await using evaluator = await TestEvaluator.start({ cpuSeconds: 10 })
    const outcome = await evaluator.run(code)
    const next = await Promise.race([
      evaluator.run('result = 1'),
      new Promise((resolve) => setTimeout(resolve, 1000, { type: 'silent' })),
    ])
    // Anything but a message with a type ends the process; `HostedProcess` checks the frames.
    for (const { type } of [outcome, next as { type: string }]) expect(typeof type).toBe('string')
    expect(await other.run('result = len("abc")')).toEqual({ type: 'ran', value: '3' })
  })

  it.each([
    ['sys.stdout', 'import sys; sys.stdout.write("x" * 100000)\nsys.stdout.flush()'],
    ['sys.stderr', 'import sys; sys.stderr.write("x" * 100000)\nsys.stderr.flush()'],
    ['print', 'print("\\0\\0\\0\\1x" * 1000)'],
    [
      'the original stdout',
      'import sys; sys.__stdout__.write("x" * 100000)\nsys.__stdout__.flush()',
    ],
    ['file descriptor 1', 'import os; os.write(1, b"x" * 100000)'],
    ['file descriptor 2', 'import os; os.write(2, b"x" * 100000)'],
    ['a device', 'open("/dev/stdout", "w").write("x" * 1000)'],
    ['a terminal', 'open("/dev/tty", "w").write("x" * 1000)'],
  ])('output to %s is dropped', async (_, code) => {
    expect(await other.run(code)).toEqual({ type: 'ran', value: 'None' })
    expect(await other.run('result = 1')).toEqual({ type: 'ran', value: '1' })
  })

  it('keeps nothing for a process that starts later', async () => {
    await using first = await TestEvaluator.start()
    await first.run('open("/tmp/kept", "w").write("x")\nimport builtins\nbuiltins.kept = 1')
    await using second = await TestEvaluator.start()
    const outcome = await second.run(
      'import os; result = (os.listdir("/tmp"), "kept" in dir(__builtins__))',
    )
    expect(outcome).toEqual({ type: 'ran', value: '([], False)' })
  })

  it('seeds random numbers anew in each process', async () => {
    await using first = await TestEvaluator.start()
    const code = 'import random; result = random.random()'
    expect(await first.run(code)).not.toEqual(await other.run(code))
  })
})
