import { importedToolNames } from '../../ir/names/imported-tool-names.js'
import { knownElement } from '../../ir/names/known-element.js'
import { readPlainSchema } from '../../schema/intake/plain-schema.js'
import { isObject, objectFrom } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import type { SchemaFault } from '../../schema/json/schema-fault.js'
import { byCodePoint } from '../../text/by-code-point.js'
import {
  defaultLeftOut,
  leftOut,
  renamed,
  toolPatternLeftOut,
  undescribed,
  unknownResult,
} from '../tool-diagnostics.js'
import type { DeclaredTool } from '../toolset-module.js'
import { type Usable, usableArguments, usableResult } from '../usable-schemas.js'
import { type DescribedFunction, type DescribedPart, writtenDescription } from './described-function.js'
import { fittingExamples } from './fitting-examples.js'
import { descriptions, exampleLeftOut, repeated, sameName } from './function-diagnostics.js'
import { partOf, type SourceFinding } from './source-finding.js'
import { withoutPart } from './without-part.js'

/** Functions as the tools of a toolset. */
export interface DeclaredFunctions {
  readonly tools: readonly DeclaredTool[]
  readonly findings: readonly SourceFinding[]
}

/**
 * Declares functions as tools, under names that are legal and unique: models see a function under its own name wherever
 * that is legal and free. Schemas of the loose dialects are brought into the form of JSON Schema; others stay word for word.
 */
export function declareFunctions(functions: readonly DescribedFunction[]): DeclaredFunctions {
  const findings: SourceFinding[] = []
  const names = importedToolNames(functions.map(({ name }) => name))
  const seen = new Set<string>()
  const tools = functions.flatMap((described, index): readonly DeclaredTool[] => {
    const { name, title, description, response, at } = described
    const { tool, wireName } = knownElement(names, index)
    const find = (finding: SourceFinding['finding'], ...keys: readonly (string | number)[]): void => {
      findings.push({ finding, at: partOf(at, ...keys) })
    }
    const payload = usableSide(described, 'parameters', find)
    if ('why' in payload) return []
    const result: Usable = response === undefined ? { schema: true } : usableSide(described, 'response', find)
    if (description === undefined) find(undescribed(descriptions, name))
    if (seen.has(name)) find(sameName(name, wireName), 'name')
    else if (wireName !== name) find(renamed(descriptions, { name, wanted: name, wireName }), 'name')
    seen.add(name)
    return [
      {
        tool,
        wireName,
        ...(title !== undefined && { title }),
        description: description ?? title ?? name,
        payload: payload.schema,
        result: 'why' in result ? true : result.schema,
        facts: examplesOf(described, payload.schema, find),
      },
    ]
  })
  return { tools, findings }
}

/** Takes functions whose very description stands there twice once. */
export function withoutRepeats(functions: readonly DescribedFunction[]): {
  readonly functions: readonly DescribedFunction[]
  readonly findings: readonly SourceFinding[]
} {
  const known = new Set<string>()
  const findings: SourceFinding[] = []
  const once = functions.filter((described) => {
    const text = JSON.stringify(writtenDescription(described), inKeyOrder)
    const isRepeat = known.has(text)
    if (isRepeat) findings.push({ finding: repeated(described.name), at: partOf(described.at, 'name') })
    else known.add(text)
    return !isRepeat
  })
  return { functions: once, findings }
}

/** Has the keys of objects written in one order, whatever theirs is. */
function inKeyOrder(_: string, value: Json): Json {
  return isObject(value) ? objectFrom(Object.entries(value).sort(([a], [b]) => byCodePoint(a, b))) : value
}

type Find = (finding: SourceFinding['finding'], ...keys: readonly (string | number)[]) => void

const sides = {
  parameters: { words: 'arguments', usable: usableArguments, refused: leftOut },
  response: { words: 'result', usable: usableResult, refused: unknownResult },
} as const

/** A function that says nothing of its arguments takes none. */
const nothing: DescribedPart = { key: 'name', json: { type: 'object', properties: {} } }

/** The schema of a side, in the form of JSON Schema; tells every repair, and why it cannot be used. */
function usableSide(described: DescribedFunction, side: keyof typeof sides, find: Find): Usable {
  const { words, usable, refused } = sides[side]
  const { key, json } = described[side] ?? nothing
  const { name } = described
  const { value, faults } = readPlainSchema(json)
  const fault = faults.find(({ severity }) => severity === 'error')
  if (value === undefined) {
    const why = fault?.message ?? 'it cannot be read'
    find(
      { ...refused(descriptions, name, why), next: fault?.next ?? `${descriptions.fix}.` },
      key,
      ...(fault?.trail ?? []),
    )
    return { why }
  }
  for (const { trail, ...repair } of faults) {
    if (repair.code === 'TG3015' && trail.at(-1) === orderOfFields) continue
    find({ ...repair, message: `\`${name}\`, ${words}: ${repair.message}` }, key, ...trail)
  }
  const used = usable(faults.length === 0 ? json : withoutUnknown(value, faults))
  if ('why' in used) find(refused(descriptions, name, used.why), key)
  else {
    if (used.nonlinear !== undefined) find(toolPatternLeftOut(descriptions, name, used.nonlinear), key)
    if (used.misfit !== undefined) find(defaultLeftOut(descriptions, name, used.misfit), key)
  }
  return used
}

/** What Gemini calls the order in which it writes fields: it says nothing of the values. */
const orderOfFields = 'propertyOrdering'

/** A schema without the keywords that have no effect: whoever generates code of the toolset cannot remove them. */
function withoutUnknown(schema: Schema, faults: readonly SchemaFault[]): Json {
  const unknown = faults.filter(({ code }) => code === 'TG3015')
  return unknown.reduce<Json>((rest, { trail }) => withoutPart(rest, trail), schema)
}

/** The examples that the schema of the arguments takes. */
function examplesOf({ name, examples }: DescribedFunction, schema: DeclaredTool['payload'], find: Find): SchemaObject {
  if (examples === undefined) return {}
  const given: readonly Json[] = Array.isArray(examples.json) ? examples.json : [examples.json]
  const { fitting, misfits } = fittingExamples(given, schema)
  for (const [index, misfit] of misfits) find(exampleLeftOut(name, misfit), examples.key, index)
  return fitting.length === 0 ? {} : { examples: fitting }
}
