// Time zones for Python's zoneinfo: TZif files made from the zone data of the runtime, which has the whole IANA database.

const FIRST = Date.UTC(1880, 0, 1) / 1000
const LAST = Date.UTC(2100, 0, 1) / 1000
/** No zone changes twice within so many seconds. */
const STEP = 20 * 86_400
const HEADER_BYTES = 44

/** The TZif file of a zone, version 2; undefined for an unknown name. */
export function zoneFile(name) {
  let offsetAt
  try {
    offsetAt = offsetsOf(name)
  } catch {
    return undefined
  }
  const transitions = []
  let before = offsetAt(FIRST)
  const first = before
  for (let at = FIRST; at < LAST; at += STEP) {
    const after = offsetAt(at + STEP)
    if (after === before) continue
    transitions.push({ at: changeBetween(offsetAt, at, at + STEP, before), offset: after })
    before = after
  }
  return encode(first, transitions)
}

function offsetsOf(name) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  return (seconds) => {
    const [month, day, year, hour, minute, second] = format
      .format(seconds * 1000)
      .split(/\D+/)
      .map(Number)
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - seconds
  }
}

/** The first second with another offset. */
function changeBetween(offsetAt, low, high, before) {
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** Of two offsets that alternate, the larger one is summer time. */
function encode(first, transitions) {
  const offsets = [...new Set([first, ...transitions.map(({ offset }) => offset)])]
  const summer = new Set()
  transitions.forEach(({ offset }, i) => {
    const next = transitions[i + 1]
    const last = i === 0 ? first : transitions[i - 1].offset
    if (next && offset > last && next.offset === last && next.at - transitions[i].at < 300 * 86_400)
      summer.add(offset)
  })
  const names = 'ZZZ\0'
  const body = (bytes) => {
    const size =
      transitions.length * (bytes + 1) + offsets.length * 6 + names.length + HEADER_BYTES
    const out = new DataView(new ArrayBuffer(size))
    header(out, transitions.length, offsets.length, names.length)
    let at = HEADER_BYTES
    for (const { at: seconds } of transitions) {
      if (bytes === 8) out.setBigInt64(at, BigInt(seconds))
      at += bytes
    }
    for (const { offset } of transitions) out.setUint8(at++, offsets.indexOf(offset))
    for (const offset of offsets) {
      out.setInt32(at, offset)
      out.setUint8(at + 4, summer.has(offset) ? 1 : 0)
      out.setUint8(at + 5, 0)
      at += 6
    }
    for (const char of names) out.setUint8(at++, char.charCodeAt(0))
    return new Uint8Array(out.buffer)
  }
  const empty = new DataView(new ArrayBuffer(HEADER_BYTES + 6 + names.length))
  header(empty, 0, 1, names.length)
  const full = body(8)
  const file = new Uint8Array(empty.byteLength + full.length + 2)
  file.set(new Uint8Array(empty.buffer), 0)
  file.set(full, empty.byteLength)
  file.set([10, 10], empty.byteLength + full.length)
  return file
}

function header(out, transitions, types, chars) {
  ;[...'TZif2'].forEach((char, i) => out.setUint8(i, char.charCodeAt(0)))
  // Counts: UT indicators, standard indicators, leap seconds, transitions, types, characters.
  ;[0, 0, 0, transitions, types, chars].forEach((count, i) => out.setUint32(20 + i * 4, count))
}
