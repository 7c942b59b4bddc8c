/** Pseudo-random numbers in [0, 1), the same in every process and run (mulberry32). */
export function randomNumbers(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Functions that return random parts of values. */
export function randomParts(seed) {
  const random = randomNumbers(seed)
  const integer = (minimum, maximum) => minimum + Math.floor(random() * (maximum - minimum + 1))
  const pick = (choices) => choices[integer(0, choices.length - 1)]
  const words = (minimum, maximum) =>
    Array.from({ length: integer(minimum, maximum) }, () => pick(vocabulary)).join(' ')
  const hex = (length) => Array.from({ length }, () => integer(0, 15).toString(16)).join('')
  const two = (minimum, maximum) => String(integer(minimum, maximum)).padStart(2, '0')
  return {
    random,
    integer,
    pick,
    words,
    chance: (probability) => random() < probability,
    money: (maximum) => integer(1, maximum * 100) / 100,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${pick(['8', '9', 'a', 'b'])}${hex(3)}-${hex(12)}`,
    email: () => `${pick(vocabulary)}.${pick(vocabulary)}${integer(1, 99)}@example.com`,
    date: () => `20${two(10, 39)}-${two(1, 12)}-${two(1, 28)}`,
    dateTime: () => `20${two(10, 39)}-${two(1, 12)}-${two(1, 28)}T${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`,
  }
}

const vocabulary =
  'amber basin cedar delta ember fjord grove harbour island juniper kettle lantern meadow northern oak pebble'.split(
    ' ',
  )
