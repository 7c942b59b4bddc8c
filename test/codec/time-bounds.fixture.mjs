// Matches texts that would keep a backtracking engine busy for longer than anybody waits, by every way that a pattern
// comes to a codec. The test that starts this process ends it where it hangs.
import { inputSchema, Runtime, tool, toolset } from '@toolgen/runtime'
import { is, payloadCodec, resultCodec } from '@toolgen/runtime/codegen/v1'

const slow = '^(a+)+$'
const text = `${'a'.repeat(60)}!`
const found = {}
const constraint = (codec, value) => codec.decode(JSON.stringify(value)).issues?.[0]?.constraint ?? 'accepted'

for (const [name, schema, value] of [
  ['pattern', { type: 'string', pattern: slow }, text],
  [
    'patternProperties',
    { type: 'object', patternProperties: { [slow]: true }, additionalProperties: false },
    { [text]: 1 },
  ],
  ['propertyNames', { type: 'object', propertyNames: { pattern: slow } }, { [text]: 1 }],
  ['a variant', { anyOf: [{ type: 'string', pattern: slow }, { type: 'null' }] }, text],
  ['a condition', { if: { pattern: slow }, else: false }, text],
]) {
  found[`${name} of a payload`] = constraint(payloadCodec({ schema }), value)
  found[`${name} of a result`] = constraint(resultCodec({ schema }), value)
}
found['a generated check'] = is.pattern(slow).test(text)
const parameters = { type: 'object', properties: { text: { type: 'string', pattern: slow } } }
const handWritten = tool({ name: 'run', description: 'Runs.', parameters, run: () => 1 }).layer(inputSchema('strict'))
const outcome = await new Runtime()
  .registerToolset(toolset('local', handWritten))
  .execute({ tool: 'run', arguments: JSON.stringify({ text }) })
found['a hand-written tool'] = outcome.hint?.reason
console.log(JSON.stringify(found))
