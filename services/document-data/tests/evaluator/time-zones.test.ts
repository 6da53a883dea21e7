import { TestEvaluator } from '../support/test-evaluator'

/** Zones with every kind of rule: northern, southern, half hours, changed for good, named by a link, and without rule. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'Europe/London', 'Europe/Paris', 'Europe/Moscow', 'Europe/Istanbul'],
  ...['America/New_York', 'America/Los_Angeles', 'America/Sao_Paulo', 'America/Santiago'],
  ...['America/St_Johns', 'America/Nuuk', 'America/Phoenix', 'US/Eastern', 'Asia/Kolkata'],
  ...['Asia/Calcutta', 'Asia/Tokyo', 'Asia/Jerusalem', 'Asia/Kathmandu', 'Africa/Cairo'],
  ...['Africa/Johannesburg', 'Australia/Sydney', 'Australia/Lord_Howe', 'Pacific/Auckland'],
  ...['Pacific/Chatham', 'Pacific/Apia', 'Antarctica/Troll', 'Etc/GMT+5', 'GMT'],
]
/** Every 12 days and 7 hours of 1900 to 2099, in seconds. */
const times: number[] = []
for (let time = Date.UTC(1900, 0, 1) / 1000; time < Date.UTC(2100, 0, 1) / 1000; time += 1_062_000)
  times.push(time)

/** The offset of a zone by ICU, in seconds. */
function offsetReader(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  })
  return (time) => {
    const parts = new Map(
      format.formatToParts(time * 1000).map(({ type, value }) => [type, +value]),
    )
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
    const date = Date.UTC(part('year'), part('month') - 1, part('day'))
    return date / 1000 + part('hour') * 3600 + part('minute') * 60 + part('second') - time
  }
}

describe('time zones of formulas', () => {
  let evaluator: TestEvaluator
  beforeAll(async () => (evaluator = await TestEvaluator.start()))
  afterAll(() => evaluator[Symbol.asyncDispose]())
  const evaluate = async (code: string): Promise<unknown> => {
    const outcome = await evaluator.run(code)
    expect(outcome).toMatchObject({ type: 'ran' })
    return JSON.parse(String('value' in outcome ? outcome.value : '').slice(1, -1))
  }

  it.each(zones)('%s has the offsets of ICU from 1900 to 2099', async (zone) => {
    const offsets = await evaluate(`
import json, zoneinfo
from datetime import datetime, timedelta, timezone
zone = zoneinfo.ZoneInfo(${JSON.stringify(zone)})
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
times = range(${times[0]}, ${times.at(-1)! + 1}, 1062000)
result = json.dumps([int((epoch + timedelta(seconds=time)).astimezone(zone).utcoffset().total_seconds()) for time in times])`)
    const read = offsetReader(zone)
    const different = (offsets as number[])
      .map((offset, at) => ({ offset, time: times[at]! }))
      .filter(({ offset, time }) => offset !== read(time))
      .map(({ offset, time }) => `${new Date(time * 1000).toISOString()} ${offset} ${read(time)}`)
    expect(different).toEqual([])
  })

  it('know every zone of ICU, and those of nobody', async () => {
    const names = Intl.supportedValuesOf('timeZone')
    const unknown = await evaluate(`
import json, zoneinfo
result = json.dumps([name for name in ${JSON.stringify(names)} if name not in zoneinfo.available_timezones() or not zoneinfo.ZoneInfo(name)])`)
    expect(unknown).toEqual([])
    const found = await evaluator.run('import zoneinfo; zoneinfo.ZoneInfo("Europe/Nowhere")')
    expect(found).toMatchObject({ type: 'failed', name: 'ZoneInfoNotFoundError' })
    const outside = await evaluator.run('import zoneinfo; zoneinfo.ZoneInfo("../../etc/passwd")')
    expect(outside).toMatchObject({ type: 'failed' })
  })

  it('have abbreviations and daylight saving time', async () => {
    const shown = await evaluate(`
import json, zoneinfo
from datetime import datetime
zone = zoneinfo.ZoneInfo("Europe/Berlin")
result = json.dumps([[date.strftime("%Z"), date.dst().total_seconds()] for date in (datetime(year, month, 1, tzinfo=zone) for year in (1980, 2026, 2060) for month in (1, 7))])`)
    const year = [
      ['CET', 0],
      ['CEST', 3600],
    ]
    expect(shown).toEqual([...year, ...year, ...year])
  })
})
