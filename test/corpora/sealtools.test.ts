import { describe, expect, it } from 'vitest'
import type { Codec } from '../../packages/runtime/src/types/codec.js'
import { hasData } from '../data.js'
import { counted, exampleVerdict, imported, payloadOf, recordsOf } from './imported.fixture.js'

interface Call {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

const tools = recordsOf<{ readonly name: string; readonly parameters: unknown }>('sealtools/tools.jsonl')
const cases = recordsOf<{ readonly calls: readonly Call[] }>('sealtools/cases.jsonl')

describe.skipIf(!hasData)('Seal-Tools (needs the data folder)', () => {
  const schemas = new Map(tools.map(({ name, parameters }) => [name, imported(parameters)] as const))

  it('has 1,355 tools, all imported without a repair', () => {
    expect(schemas.size).toBe(1355)
    expect([...schemas.values()].flatMap(({ diagnostics }) => diagnostics)).toEqual([])
  })

  it('gives 1,355 codecs and 1,355 examples that decode', () => {
    expect(counted([...schemas.values()].map(exampleVerdict))).toEqual({ decodes: 1355 })
  })

  it('decodes 1,750 of the 1,804 calls; the others send 67 values that are no number where one is declared', () => {
    const codecs = new Map([...schemas].map(([name, schema]) => [name, payloadOf(schema)] as const))
    const outcomes = cases.flatMap(({ calls }) => calls).map((call) => ({ call, outcome: decoded(codecs, call) }))
    expect(counted(outcomes.map(({ outcome }) => String(outcome.ok)))).toEqual({ true: 1750, false: 54 })
    const values = outcomes.flatMap(({ call, outcome }) =>
      outcome.ok ? [] : outcome.issues.map(({ path }) => kindOf(call.arguments[path.slice(1)])),
    )
    expect(counted(values)).toEqual({
      'a number as text': 57,
      'a list': 4,
      'the result of another call': 4,
      'the text per month': 2,
    })
  })
})

function decoded(codecs: ReadonlyMap<string, Codec<unknown, unknown>>, { name, arguments: given }: Call) {
  const codec = codecs.get(name)
  if (codec === undefined) throw new Error(`There is no tool ${name}.`)
  return codec.decodeValue(given)
}

/** What was sent in place of a number; the publishers gave no verdicts. */
function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'string') return typeof value
  if (/^-?\d+(?:\.\d+)?$/.test(value)) return 'a number as text'
  return value.startsWith('API_call_') ? 'the result of another call' : `the text ${value}`
}
