import { inclusionOf } from '../../packages/codegen/src/contracts/inclusion.js'
import type { Json, Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { refTo } from '../../packages/codegen/src/schema/references.js'
import type { SchemaCase } from '../codec/differential/compiled-codecs.js'
import { Random } from '../codec/differential/random.js'
import { changedCase } from './changed-schema.js'

/** Counts and faults of {@link sharedCases}. */
export interface SharedFound {
  readonly toolsets: number
  readonly tools: number
  /** Number of tools with reported changes. */
  readonly refused: number
  readonly faults: readonly string[]
}

type Defs = SchemaCase['defs']

/** Number of tools per toolset that reference its definitions. */
const toolsPerToolset = 12

/** Compares the reported changes of all tools in one toolset with those of each tool alone. */
export function sharedCases(seed: number, rounds: number): SharedFound {
  const found = { toolsets: 0, tools: 0, refused: 0, faults: [] as string[] }
  for (let round = 0; round < rounds && found.faults.length < 5; round++) {
    const random = new Random(seed * 100_000 + round)
    const was = entangled(random)
    const is = random.chance(0.1) ? entangled(random) : changedDefs(random, was)
    const options = { source: was, target: is, fields: random.pick(['known', 'any'] as const) }
    const shared = inclusionOf(options)
    found.toolsets++
    for (let tool = 0; tool < toolsPerToolset; tool++) {
      const before = toolSchema(random)
      const now = random.chance(0.9) ? before : toolSchema(random)
      const [together, alone] = [shared(before, now), inclusionOf(options)(before, now)]
      found.tools++
      if (alone.length > 0) found.refused++
      if (JSON.stringify(together) === JSON.stringify(alone)) continue
      const parts = { was, is, tool, before, now, together, alone }
      found.faults.push(`seed ${seed * 100_000 + round}\n${JSON.stringify(parts)}`)
    }
  }
  return found
}

const names = ['A', 'B', 'C', 'D'] as const

/** Returns definitions that reference each other and themselves. Direct references name only later definitions, because designs reject cycles. */
function entangled(random: Random): Defs {
  return Object.fromEntries(names.map((name, index) => [name, part(random, 1, names.slice(index + 1))]))
}

function changedDefs(random: Random, was: Defs): Defs {
  const { defs } = changedCase(random, { schema: true, defs: was })
  // Tries again if nothing changed, for example if only the schema would change.
  return JSON.stringify(defs) === JSON.stringify(was) ? changedDefs(random, was) : defs
}

/** Returns the schema of a tool: a reference, or a schema that contains references. */
function toolSchema(random: Random): Schema {
  return random.chance(0.4) ? { $ref: refTo(random.pick(names)) } : part(random, 1, names)
}

/** @param here names of definitions that can be referenced directly */
function part(random: Random, depth: number, here: readonly string[]): Schema {
  const inner = (): Schema => (depth === 0 || random.chance(0.6) ? leaf(random, names) : part(random, depth - 1, names))
  const shape = random.below(20)
  if (shape < 3) return { type: 'array', items: inner() }
  if (shape === 3) return { anyOf: [leaf(random, here), leaf(random, here)] }
  if (shape === 4) return { oneOf: [leaf(random, here), { type: 'null' }] }
  if (shape === 5) return { allOf: [leaf(random, here), { minProperties: 1 }] }
  const fields = random.some(['a', 'b', 'c', 'd'], 0.6)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, inner()])),
    required: random.some(fields, 0.4),
    ...(random.chance(0.05) && { additionalProperties: inner() }),
  }
}

function leaf(random: Random, allowed: readonly string[]): Schema {
  if (allowed.length > 0 && random.chance(0.65)) return { $ref: refTo(random.pick(allowed)) }
  return random.pick<{ readonly [keyword: string]: Json }>([
    { type: 'string' },
    { type: 'integer' },
    { type: 'string', minLength: 1 },
    { enum: ['x', 'y'] },
    { type: ['string', 'null'] },
  ])
}
