import { importedToolNames } from '../ir/identifiers.js'
import { knownElement } from '../ir/reserved-names.js'
import {
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaFault,
  type SchemaObject,
  withKey,
  without,
} from '../schema/json-schema.js'
import { readPlainSchema } from '../schema/libraries/plain.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { issueText, valueValidator } from '../schema/validate-value.js'
import { byCodePoint } from '../text.js'
import {
  type DescribedFunction,
  type DescribedPart,
  descriptions,
  exampleLeftOut,
  functionDocuments,
  noFunctions,
  partOf,
  placed,
  readFunctions,
  repeated,
  type SourceFinding,
  sameName,
  writtenDescription,
} from './function-documents.js'
import { importNames, importNote, isImported } from './names.js'
import type { ImportSource } from './read-source.js'
import {
  defaultLeftOut,
  type ListedTool,
  leftOut,
  renamed,
  toolListChanges,
  toolPatternLeftOut,
  undescribed,
  unknownResult,
} from './tool-diagnostics.js'
import { type Usable, usableArguments, usableResult } from './tool-schemas.js'
import { type DeclaredTool, noImport, type ToolsetImport, toolsetModule } from './toolset-module.js'

/** What an import of functions reads beside its source. */
interface FunctionsImportOptions {
  /** Where the source is, for a later import: relative to the snapshot. Default: what the source says, if it is a snapshot. */
  readonly from?: string
  /** The snapshot of an earlier import. */
  readonly earlier?: string
}

/**
 * Makes a toolset of functions that were described to models. The same functions give the same bytes whatever the form of
 * their descriptions, also when they come from the snapshot of an earlier import.
 */
export function importFunctions(
  toolset: string,
  source: ImportSource,
  { from = recordedSource(source.text), earlier }: FunctionsImportOptions = {},
): ToolsetImport {
  const { value: documents, diagnostics } = functionDocuments(source)
  if (documents === undefined) return noImport(diagnostics)
  const read = readFunctions(documents)
  const { functions, findings } = withoutRepeats(read.functions)
  const declared = declareFunctions(functions)
  const found = placed([...read.findings, ...findings, ...declared.findings], documents, source.file)
  const { tools } = declared
  const isBroken = found.some(({ severity }) => severity === 'error')
  if (isBroken) return noImport(found)
  if (tools.length === 0) return noImport([...found, noFunctions(source.shown)])
  const names = importNames('functions', toolset)
  const snapshot = {
    about: importNote('functions', toolset),
    ...(from !== undefined && { from }),
    functions: functions.map(writtenDescription),
  }
  const module = {
    kind: 'functions',
    name: toolset,
    description: `Functions of ${toolset}.`,
    entries: [],
    tools,
  } as const
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: toolsetModule(module) },
    ],
    tools: tools.length,
    described: tools.filter(({ result }) => result !== true).length,
    changes: earlier === undefined ? [] : toolListChanges(listedIn(earlier), listed(functions)),
    diagnostics: found,
  }
}

/** Where the functions of a snapshot came from, relative to it; `undefined` for what is no snapshot or does not say so. */
export function recordedSource(text: string): string | undefined {
  if (!isImported(text)) return undefined
  const [snapshot] = functionDocuments({ text, file: '', shown: '' }).value ?? []
  const from = isObject(snapshot?.json) ? own(snapshot.json, 'from') : undefined
  return typeof from === 'string' ? from : undefined
}

function listedIn(snapshot: string): readonly ListedTool[] {
  const { value = [] } = functionDocuments({ text: snapshot, file: '', shown: '' })
  return listed(readFunctions(value).functions)
}

/** Functions by their names; several of one name by a number too. */
function listed(functions: readonly DescribedFunction[]): readonly ListedTool[] {
  const given = new Map<string, number>()
  return functions.map((described) => {
    const { name } = described
    const count = (given.get(name) ?? 0) + 1
    given.set(name, count)
    return { name: count === 1 ? name : `${name} (${count})`, raw: writtenDescription(described) }
  })
}

/** Functions as the tools of a toolset. */
interface DeclaredFunctions {
  readonly tools: readonly DeclaredTool[]
  readonly findings: readonly SourceFinding[]
}

/**
 * Declares functions as tools, under names that are legal and unique: models see a function under its own name wherever
 * that is legal and free. Schemas of the loose dialects are brought into the form of JSON Schema; others stay word for word.
 */
function declareFunctions(functions: readonly DescribedFunction[]): DeclaredFunctions {
  const findings: SourceFinding[] = []
  const names = importedToolNames(functions.map(({ name }) => name))
  const seen = new Set<string>()
  const tools = functions.flatMap((described, index): readonly DeclaredTool[] => {
    const { name, title, description, response, at } = described
    const { tool, toolName } = knownElement(names, index)
    const find = (finding: SourceFinding['finding'], ...keys: readonly (string | number)[]): void => {
      findings.push({ finding, at: partOf(at, ...keys) })
    }
    const payload = usableSide(described, 'parameters', find)
    if ('why' in payload) return []
    const result: Usable =
      response === undefined ? { schema: true, nonlinear: [] } : usableSide(described, 'response', find)
    if (description === undefined) find(undescribed(descriptions, name))
    if (seen.has(name)) find(sameName(name, toolName), 'name')
    else if (toolName !== name) find(renamed(descriptions, { name, wanted: name, toolName }), 'name')
    seen.add(name)
    return [
      {
        tool,
        toolName,
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
function withoutRepeats(functions: readonly DescribedFunction[]): {
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
    for (const why of used.nonlinear) find(toolPatternLeftOut(descriptions, name, why), key)
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

/** Examples of arguments: those that their schema takes, and what is wrong with each other one, by its index. */
interface FittingExamples {
  readonly fitting: readonly Json[]
  readonly misfits: ReadonlyMap<number, string>
}

/** Parts examples of arguments by whether their schema takes them. */
function fittingExamples(examples: readonly Json[], schema: Schema): FittingExamples {
  const misfits = new Map<number, string>()
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined) return { fitting: [], misfits }
  const check = valueValidator(Object.fromEntries(value.defs), 'reject')
  for (const [index, example] of examples.entries()) {
    const [fault] = check(value.root, example)
    if (fault !== undefined) misfits.set(index, issueText(fault))
  }
  return { fitting: examples.filter((_, index) => !misfits.has(index)), misfits }
}

/** A copy of a value without the property to which keys lead; the value itself where they lead to none. */
function withoutPart(json: Json, keys: readonly (string | number)[]): Json {
  const [first, ...rest] = keys.map(String)
  if (first === undefined) return json
  if (Array.isArray(json)) {
    return json.map((item: Json, index) => (String(index) === first ? withoutPart(item, rest) : item))
  }
  if (!isObject(json)) return json
  if (rest.length === 0) return without(json, [first])
  const part = own(json, first)
  return part === undefined ? json : withKey(json, first, withoutPart(part, rest))
}
