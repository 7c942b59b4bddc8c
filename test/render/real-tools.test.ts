import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import { Runtime, renderForModel, type ToolSpec } from '../../packages/runtime/src/index.js'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'
import { isFields } from '../../packages/runtime/src/schema/json-values.js'

import { hasData } from '../data.js'
import { realTools } from '../projection/real-tools.js'
import { type Fault, possibleFaults, withFaults } from './faulty-arguments.js'

/** Returns what a model is told of arguments that a tool refuses. */
function teller(spec: ToolSpec): (sent: unknown) => Promise<string> {
  const tool = toolOf<never, unknown>('tools.tool', { arguments: spec.arguments })
  const toolset = new Runtime().registerToolset(registrationOf(tool, () => ({})))
  return async (sent) => {
    const outcome = await toolset.execute({ tool: 'tools.tool', toolCallId: 'call', arguments: JSON.stringify(sent) })
    expect(outcome.status, `${spec.name} took ${JSON.stringify(sent)}`).toBe('failed')
    return renderForModel(outcome)
  }
}

describe.skipIf(!hasData)('hints for three issues (needs the data folder)', () => {
  it.each([
    { kind: 'mcp', each: 1 },
    { kind: 'bfcl', each: 2 },
  ] as const)(
    'names all three in less than 300 characters, with an example that decodes: $kind',
    async ({ kind, each }) => {
      const tools = hasData ? realTools(kind).tools.filter((_, at) => at % each === 0) : []
      let calls = 0
      for (const { spec } of tools) {
        const example = exampleOf(spec.arguments)
        if (!isFields(example)) continue
        const faults = fc.uniqueArray(fc.constantFrom(...possibleFaults(spec.arguments)), {
          minLength: 3,
          maxLength: 3,
          selector: (fault: Fault) => fault.field,
        })
        const told = teller(spec)
        const codec = payloadCodec({ schema: spec.arguments })
        for (const chosen of fc.sample(faults, { numRuns: 2, seed: calls })) {
          const text = await told(withFaults(example, chosen))
          expect([...text].length, text).toBeLessThan(300)
          expect(
            chosen.filter(({ field }) => !text.includes(field)),
            `${text} of ${spec.name}`,
          ).toEqual([])
          const [, shown] = /Correct example: (.*)$/su.exec(text) ?? []
          expect(shown, `${text} of ${spec.name}`).toBeDefined()
          expect(codec.decode(shown ?? '')).toMatchObject({ ok: true })
          calls += 1
        }
      }
      expect(calls).toBeGreaterThan(1.9 * tools.length)
    },
  )
})
