// Compiles patterns that could take very much work. The test that starts this process ends it where it hangs.
import { resultCodec } from '@toolgen/runtime/codegen/v1'

const digits = '9'.repeat(400)
const nested = (open, close, levels, body) => open.repeat(levels) + body + close.repeat(levels)
const found = {}

for (const [name, pattern, match, other] of [
  ['optional parts', `^(?:${'(?:a?|b?)'.repeat(26)}c)+$`, 'abcc', 'abca'],
  ['optional repetitions', `^(?:${'(?:\\d*,?)?'.repeat(22)};)+$`, '1,2;;', '1,2'],
  ['many optional parts', `^(?:${'[ace-gik]?'.repeat(900)}z)+$`, 'acz', 'ac'],
  [
    'nested repetitions',
    `^${nested('(?:a', 'b?z)+', 190, '(?:c|[d-f])')}$`,
    `${'a'.repeat(190)}c${'z'.repeat(190)}`,
    'a',
  ],
  ['nested counts of nothing', nested('(?:', '){10000}', 3, ''), '', 'a'],
  ['a large count of nothing', '(?:){100000000}', '', 'a'],
  ['a large count of nothing for an automaton', '^(a+)+(?:){100000000}$', 'aa', 'ab'],
  ['nested counts of what may not occur', `^(a+)+${nested('(?:', '){10000}', 3, 'x{0}')}$`, 'aa', 'ax'],
  ['optional nothing', `^(a+)+${nested('(?:', '){0,10000}', 3, '')}$`, 'aa', 'ab'],
  ['a count of 400 digits', `(?:){${digits}}`, '', ''],
  ['a count of 400 digits for a character', `^(a+)+b{2,${digits}}$`, '', ''],
  ['nested counts of assertions', `^(a+)+${nested('(?:', '){10000}', 3, '\\b')}$`, '', ''],
]) {
  const codec = resultCodec({ schema: { type: 'string', pattern } })
  const constraint = (text) => codec.decode(JSON.stringify(text)).issues?.[0]?.constraint ?? 'accepted'
  try {
    found[name] = [constraint(match), constraint(other)]
  } catch (error) {
    found[name] = /a pattern with .* linear time/.exec(error.message)?.[0] ?? error.message
  }
}
console.log(JSON.stringify(found))
