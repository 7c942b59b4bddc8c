import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import { openAiTool, restoreArguments } from '../../packages/runtime/src/projections.js'
import { argumentSchemas } from './random-schema.js'
import { sampleOf } from './random-value.js'
import { specOf } from './real-tools.js'
import { relaxed } from './relaxed.js'
import { strictFaults } from './strict-faults.js'
import { validator } from './validator.js'

const RUNS = 200

describe('the strict form of random schemas', () => {
  it('takes nothing that the tool refuses, once nulls are removed, beside what is reported as loosened', () => {
    let strictTools = 0
    let exact = 0
    let values = 0
    fc.assert(
      fc.property(argumentSchemas, fc.gen(), (schema, draw) => {
        const spec = specOf({ name: 'tool' }, schema)
        const { tool, strict, changes } = openAiTool(spec)
        fc.pre(strict)
        const { parameters } = tool.function
        expect(strictFaults(parameters)).toEqual([])
        const validate = validator(parameters)
        const loosened = changes.filter((change) => change.loosens)
        const tells = payloadCodec({ schema: relaxed(schema, changes) })
        strictTools += 1
        if (loosened.length === 0) exact += 1
        for (let round = 0; round < 5; round += 1) {
          const sent = sampleOf(parameters, parameters, draw)
          if (!validate(sent)) continue
          values += 1
          const restored = restoreArguments(spec, JSON.stringify(sent))
          expect(tells.decode(restored), `${JSON.stringify(sent)} became ${restored}`).toMatchObject({ ok: true })
          if (loosened.length === 0) expect(payloadCodec({ schema }).decode(restored)).toMatchObject({ ok: true })
        }
      }),
      { numRuns: RUNS },
    )
    expect(strictTools).toBeGreaterThan(RUNS / 2)
    expect(exact).toBeGreaterThan(RUNS / 10)
    expect(values).toBeGreaterThan(2 * RUNS)
  })
})
