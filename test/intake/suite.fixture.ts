import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import { payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import { dataFolder, hasData } from '../data.js'

/** The cases of one schema of the JSON Schema Test Suite. */
export interface Group {
  readonly description: string
  readonly schema: JsonSchema
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}

/** One draft of the suite: its files, and how a schema says which draft it is written in. */
export interface Suite {
  readonly folder: string
  readonly $schema: string
}

/** The names of a suite's files, sorted; none where the data folder is absent. */
export function filesOf({ folder }: Suite): readonly string[] {
  if (!hasData) return []
  const names = readdirSync(join(dataFolder() ?? '', 'jsts', folder), { recursive: true, encoding: 'utf8' })
  return names.filter((file) => file.endsWith('.json')).sort()
}

/** The groups of a file. */
export function groupsOf({ folder }: Suite, file: string): readonly Group[] {
  return JSON.parse(readFileSync(join(dataFolder() ?? '', 'jsts', folder, file), 'utf8'))
}

/** What the way through the intake and the codec says about each value of a group. */
export interface Verdicts {
  /** The codes with which the schema was refused; no values are judged then. */
  readonly refused: readonly string[]
  readonly judged: readonly boolean[]
}

/** Takes the schema of a group through the intake. */
export function importedGroup(group: Group, { $schema }: Suite) {
  // A schema of the suite does not always say which draft it is written in: the folder does.
  const declared = typeof group.schema === 'boolean' ? group.schema : { $schema, ...group.schema }
  return toJsonSchema(declared, { io: 'input', hint: 'Root' })
}

/** Takes a schema through the intake to a codec, and values through that. */
export function verdictsOf(group: Group, suite: Suite): Verdicts {
  const { value, diagnostics } = importedGroup(group, suite)
  if (value === undefined) return { refused: diagnostics.map(({ code }) => code), judged: [] }
  const { root, defs } = value
  const schema = typeof root === 'boolean' ? root : { ...root, $defs: Object.fromEntries(defs) }
  const codec = payloadCodec<unknown, unknown>({ schema, unknown: 'keep' })
  return { refused: [], judged: group.tests.map(({ data }) => codec.decodeValue(data).ok) }
}
