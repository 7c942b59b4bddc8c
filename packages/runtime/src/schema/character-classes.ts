export type CodeRange = readonly [from: number, to: number]

const last = 0x10ffff

const digits: readonly CodeRange[] = [[0x30, 0x39]]

const words: readonly CodeRange[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]

const spaces: readonly CodeRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]

const lineEnds: readonly CodeRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]

const classes: ReadonlyMap<string, readonly CodeRange[]> = new Map([
  ['.', complement(lineEnds)],
  ['\\d', digits],
  ['\\D', complement(digits)],
  ['\\w', words],
  ['\\W', complement(words)],
  ['\\s', spaces],
  ['\\S', complement(spaces)],
])

const controls: ReadonlyMap<string, number> = new Map([
  ['\\t', 0x09],
  ['\\n', 0x0a],
  ['\\v', 0x0b],
  ['\\f', 0x0c],
  ['\\r', 0x0d],
  ['\\0', 0x00],
])

/** Returns all characters for an element such as `\p{L}`. Ranges that are too large cannot cause a wrong proof of linear time. */
export function codeRanges(source: string): readonly CodeRange[] {
  return united(simpleRanges(source) ?? [[0, last]])
}

export function simpleRanges(source: string): readonly CodeRange[] | undefined {
  const known = classes.get(source)
  if (known !== undefined) return known
  if (source.startsWith('[') && source.endsWith(']') && source.length > 1) return classRanges(source.slice(1, -1))
  const code = codeOf(source)
  return code === undefined ? undefined : [[code, code]]
}

export function united(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const merged: CodeRange[] = []
  for (const range of [...ranges].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1)
    if (before === undefined || range[0] > before[1] + 1) merged.push(range)
    else merged[merged.length - 1] = [before[0], Math.max(before[1], range[1])]
  }
  return merged
}

export function overlap(ranges: readonly CodeRange[]): boolean {
  const sorted = [...ranges].sort(([a], [b]) => a - b)
  return sorted.some(([from], index) => from <= (sorted[index - 1]?.[1] ?? -1))
}

const member = /\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|./gsu

function classRanges(inner: string): readonly CodeRange[] | undefined {
  const isNegated = inner.startsWith('^')
  const members = (isNegated ? inner.slice(1) : inner).match(member) ?? []
  const ranges: CodeRange[] = []
  for (let index = 0; index < members.length; index++) {
    const source = members[index] ?? ''
    const found = source === '.' ? undefined : classes.get(source)
    if (found !== undefined) {
      // A hyphen next to a class such as `\d` is a literal without the `u` flag, and a syntax error with this flag.
      if (members[index + 1] === '-' && index + 2 < members.length) return undefined
      ranges.push(...found)
      continue
    }
    const from = memberCode(source)
    if (from === undefined) return undefined
    if (members[index + 1] !== '-' || index + 2 >= members.length) {
      ranges.push([from, from])
      continue
    }
    const to = memberCode(members[index + 2] ?? '')
    if (to === undefined || to < from) return undefined
    ranges.push([from, to])
    index += 2
  }
  return isNegated ? complement(ranges) : ranges
}

/** Returns `undefined` for a character whose meaning depends on the `u` flag. */
function memberCode(source: string): number | undefined {
  if (source === '\\b') return 0x08
  if (source === '\\0' || source.startsWith('\\u{')) return undefined
  const code = codeOf(source)
  const isPaired = code !== undefined && (code > 0xffff || (code >= 0xd800 && code <= 0xdfff))
  return isPaired ? undefined : code
}

function codeOf(source: string): number | undefined {
  if (!source.startsWith('\\')) {
    const code = source.codePointAt(0)
    return code !== undefined && source.length === String.fromCodePoint(code).length ? code : undefined
  }
  const hex = /^\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))$/.exec(source)
  if (hex !== null) return Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16)
  if (/^\\c[a-zA-Z]$/.test(source)) return source.charCodeAt(2) % 32
  const known = controls.get(source)
  if (known !== undefined) return known
  return /^\\[^\da-zA-Z]$/u.test(source) ? source.codePointAt(1) : undefined
}

function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const gaps: CodeRange[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) gaps.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  return next > last ? gaps : [...gaps, [next, last]]
}
