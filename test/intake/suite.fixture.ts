import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import { dataFolder, hasData } from '../data.js'

/** Test cases of one schema of the JSON Schema Test Suite. */
export interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** One draft of the suite: its folder, and the `$schema` of the draft. */
export interface Suite {
  readonly folder: string
  readonly $schema: string
}

/** Returns the names of the files of a suite, sorted; empty without the data folder. */
export function filesOf({ folder }: Suite): readonly string[] {
  if (!hasData) return []
  const names = readdirSync(join(dataFolder() ?? '', 'jsts', folder), { recursive: true, encoding: 'utf8' })
  return names.filter((file) => file.endsWith('.json')).sort()
}

/** Returns the groups of a file. */
export function groupsOf({ folder }: Suite, file: string): readonly Group[] {
  return JSON.parse(readFileSync(join(dataFolder() ?? '', 'jsts', folder, file), 'utf8'))
}

/** Verdicts of import and codec about a group. */
export interface Verdicts {
  /** Codes of the diagnostics that reject the schema. In this case, `judged` is empty. */
  readonly refused: readonly string[]
  readonly judged: readonly boolean[]
}

/** Imports the schema of a group. */
export function importedGroup(group: Group, { $schema }: Suite) {
  // A schema of the suite does not always contain `$schema`, but its folder determines the draft.
  const declared = typeof group.schema === 'boolean' ? group.schema : { $schema, ...group.schema }
  return toJsonSchema(declared, { io: 'input', hint: 'Root' })
}

/** Imports the schema of a group, and validates the values with its codec. */
export function verdictsOf(group: Group, suite: Suite): Verdicts {
  const { value, diagnostics } = importedGroup(group, suite)
  if (value === undefined) return { refused: diagnostics.map(({ code }) => code), judged: [] }
  const { root, defs } = value
  const schema = typeof root === 'boolean' ? root : { ...root, $defs: Object.fromEntries(defs) }
  const codec = payloadCodec<unknown, unknown>({ schema, unknown: 'keep' })
  return { refused: [], judged: group.tests.map(({ data }) => codec.decodeValue(data).ok) }
}
