import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import {
  anthropicTool,
  geminiTool,
  jsonSchemaTool,
  mcpTool,
  openAiTool,
  restoreArguments,
} from '../../packages/runtime/src/projections.js'
import { exampleOf } from '../../packages/runtime/src/schema/examples.js'

import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import type { ToolSpec } from '../../packages/runtime/src/types/tool.js'
import { hasData } from '../data.js'
import { filled } from './filled.js'
import { type RealTool, realTools } from './real-tools.js'
import { strictFaults } from './strict-faults.js'
import { isJsonSchema, validator } from './validator.js'

const kinds = [
  { kind: 'mcp', count: 609, strict: 571, compiled: 1 },
  // Their schemas are much alike: compiling every one takes long and finds nothing.
  { kind: 'bfcl', count: 1352, strict: 1324, compiled: 4 },
  { kind: 'sealtools', count: 1355, strict: 1355, compiled: 8 },
  { kind: 'tau', count: 32, strict: 29, compiled: 1 },
] as const

describe.skipIf(!hasData)('tools that nobody here wrote (needs the data folder)', () => {
  describe.each(kinds)('$kind', ({ kind, count, strict, compiled }) => {
    const { tools, refused } = hasData ? realTools(kind) : { tools: [], refused: [] }

    it(`are ${count}, of which OpenAI takes ${strict} in strict form`, () => {
      expect(refused).toEqual([])
      expect(tools).toHaveLength(count)
      expect(tools.filter(({ spec }) => strictTool(spec).strict)).toHaveLength(strict)
    })

    it('keep the rules of strict mode, or say why they cannot', () => {
      const faults = tools.flatMap(({ source, spec }) => {
        const { tool, strict: isStrict, changes } = strictTool(spec)
        expect(tool.function.strict).toBe(isStrict)
        expect(changes.some((change) => change.kind === 'fallback')).toBe(!isStrict)
        return isStrict ? strictFaults(tool.function.parameters).map((fault) => `${source} ${spec.name}${fault}`) : []
      })
      expect(faults).toEqual([])
    })

    it('are JSON Schema for every vendor, with an object at the root, and take the same arguments', () => {
      for (const [at, { spec }] of tools.entries()) {
        const loose = looseSchemas(spec)
        for (const schema of [strictTool(spec).tool.function.parameters, ...loose]) {
          expect(isJsonSchema(schema), spec.name).toBe(true)
        }
        if (at % compiled !== 0) continue
        const example = exampleFor(spec)
        for (const schema of loose) {
          expect(schema).toMatchObject({ type: 'object' })
          const validate = validatorOf(schema)
          if (example !== undefined) expect(validate(example), spec.name).toBe(true)
        }
      }
    })

    it('take their own valid arguments through strict form and back', () => {
      let count = 0
      for (const [at, { spec }] of tools.entries()) count += roundTrip(spec, at % compiled === 0) ? 1 : 0
      expect(count).toBeGreaterThan(0.9 * strict)
    })
  })

  it('are served by MCP with their output schema where every result is an object', () => {
    const { tools } = realTools('tau')
    const outputs = tools.filter(({ spec }: RealTool) => mcpTool(spec).tool.outputSchema !== undefined)
    expect(outputs.length).toBeGreaterThan(3)
    for (const { spec } of outputs) expect(exampleOf(spec.result)).toBeTypeOf('object')
  })
})

const validators = new Map<string, ReturnType<typeof validator>>()

/** Tools of one server share schemas: each is compiled once. */
function validatorOf(schema: JsonSchema): ReturnType<typeof validator> {
  const key = JSON.stringify(schema)
  const validate = validators.get(key) ?? validator(schema)
  validators.set(key, validate)
  return validate
}

/** The tool that OpenAI is sent. */
const strictTool = onceForEach((spec) => openAiTool(spec))
const exampleFor = onceForEach((spec) => exampleOf(spec.arguments))

/** Calls a function once for each tool: several tests read the result. */
function onceForEach<T>(make: (spec: ToolSpec) => T): (spec: ToolSpec) => T {
  const made = new Map<ToolSpec, T>()
  return (spec) => {
    const value = made.has(spec) ? (made.get(spec) as T) : make(spec)
    made.set(spec, value)
    return value
  }
}

/** The different schemas that vendors are sent who do not hold the model to it. Most vendors get the same one. */
function looseSchemas(spec: ToolSpec): readonly JsonSchema[] {
  const schemas = [
    openAiTool(spec, { strict: false }).tool.function.parameters,
    anthropicTool(spec).tool.input_schema,
    mcpTool(spec).tool.inputSchema,
    geminiTool(spec).tool.parametersJsonSchema,
    jsonSchemaTool(spec).tool.parameters,
  ]
  return [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
}

/** Whether there is an example to send. What was sent comes back, and the codec takes it. */
function roundTrip(spec: ToolSpec, isCompiled: boolean): boolean {
  const { tool, strict } = strictTool(spec)
  const example = exampleFor(spec)
  if (!strict || example === undefined) return false
  const { parameters } = tool.function
  const sent = filled(example, parameters)
  if (isCompiled) expect(validatorOf(parameters)(sent), `${spec.name}: ${JSON.stringify(sent)}`).toBe(true)
  const restored = restoreArguments(spec, JSON.stringify(sent))
  expect(JSON.parse(restored)).toMatchObject(Object(example))
  expect(payloadCodec({ schema: spec.arguments }).decode(restored)).toMatchObject({ ok: true })
  return true
}
