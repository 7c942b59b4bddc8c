import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { type LockReading, readLock } from '../output/lock.js'
import { isObject, isSchema, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { annotations, expectedValue, type KeywordValue, keywords } from '../schema/keywords.js'
import { referenceLoops } from '../schema/reference-loops.js'
import { refName } from '../schema/references.js'

/** What a lock records of a design: all that callers and models see of it. */
export interface Contracts {
  /** By name. */
  readonly toolsets: ReadonlyMap<string, ToolsetContract>
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentContract>
}

export interface ToolsetContract {
  readonly name: string
  readonly namespace: string
  readonly description: string
  /** Definitions that the tools share: each is an exported type too. */
  readonly defs: Readonly<Record<string, Schema>>
  /** By name. */
  readonly tools: ReadonlyMap<string, ToolContract>
}

export interface ToolContract {
  /** `toolset.tool` */
  readonly id: string
  readonly name: string
  /** An MCP server's own name of it. */
  readonly remote?: string
  /** What is said of the tool, beside its schemas. */
  readonly about: Readonly<Record<string, Json>>
  /** JSON Schema of what is sent. */
  readonly arguments: Schema
  readonly serverOwned: readonly ServerOwnedContract[]
  readonly result: Schema
  readonly updates?: Schema
}

interface ServerOwnedContract {
  readonly field: string
  /** The field of the call's meta. */
  readonly from: string
  readonly schema: Schema
}

export interface AgentContract {
  readonly name: string
  /** What is said of the agent and to its model, and the limits of its runs. */
  readonly about: Readonly<Record<string, Json>>
  /** By the agent's own name of each. */
  readonly uses: ReadonlyMap<string, UseContract>
  /** The names of the toolsets that it offers. */
  readonly exports: readonly string[]
}

export interface UseContract {
  readonly toolset: string
  readonly provider: string
  /** The agent that serves it, if one does. */
  readonly agent?: string
  /** By name: the names that the agent's model sees. */
  readonly tools: ReadonlyMap<string, string>
}

/** A part of the lock, with the keys that lead there. */
interface Part {
  readonly value: Json
  readonly keys: readonly string[]
}

/** A part of the lock is not what it must be. */
class Malformed extends Error {
  override name = 'Malformed'

  constructor({ keys }: Part, expected: string) {
    super(`holds no ${expected} at ${pointerOf(keys) || 'its root'}`)
  }
}

/** Reads each value of an object, by its name. */
function eachOf<T>(part: Part, read: (inner: Part, name: string) => T): ReadonlyMap<string, T> {
  return new Map(Object.keys(objectIn(part)).map((name) => [name, read(partOf(part, name), name)]))
}

/** @throws {@link Malformed} where there is none */
function partOf(part: Part, key: string): Part {
  const value = own(objectIn(part), key)
  const inner = { value: value ?? null, keys: [...part.keys, key] }
  if (value === undefined) throw new Malformed(inner, 'value')
  return inner
}

/** The part of a key that need not be there. */
function optional(part: Part, key: string): Part | undefined {
  return own(objectIn(part), key) === undefined ? undefined : partOf(part, key)
}

/** @throws {@link Malformed} */
function objectIn(part: Part): SchemaObject {
  if (isObject(part.value)) return part.value
  throw new Malformed(part, 'object')
}

/** @throws {@link Malformed} */
function listIn(part: Part): readonly Part[] {
  if (!Array.isArray(part.value)) throw new Malformed(part, 'list')
  return part.value.map((value: Json, index) => ({ value, keys: [...part.keys, String(index)] }))
}

/** @throws {@link Malformed} */
function textIn(part: Part): string {
  if (typeof part.value === 'string') return part.value
  throw new Malformed(part, 'text')
}

/** Keywords of which a number that is out of their range is read all the same. */
const numeric: readonly (KeywordValue | undefined)[] = ['number', 'positive number', 'count']

/** Definitions, none of which leads back to itself at the same place. */
function definitionsIn(part: Part): Readonly<Record<string, Schema>> {
  const known = objectIn(part)
  const defs = eachOf(part, (def) => schemaIn(def, known))
  if (referenceLoops(defs, (name) => [name]).length > 0) throw new Malformed(part, 'definitions that come to an end')
  return Object.fromEntries(defs)
}

/** A schema of objects, all of whose references lead to definitions. */
function payloadIn(part: Part, defs: SchemaObject): Schema {
  objectIn(part)
  return schemaIn(part, defs)
}

/** A schema all of whose references lead to definitions. */
function schemaIn(part: Part, defs: SchemaObject): Schema {
  const { value, keys } = part
  if (!isSchema(value)) throw new Malformed(part, 'schema')
  if (typeof value === 'boolean') return value
  for (const [keyword, said] of Object.entries(value)) {
    const expected = misread(keyword, said)
    if (expected !== undefined) throw new Malformed({ value: said, keys: [...keys, keyword] }, expected)
  }
  const reference = own(value, '$ref')
  if (reference !== undefined && own(defs, refName(reference) ?? '') === undefined) {
    throw new Malformed({ value: reference, keys: [...keys, '$ref'] }, 'name of a definition')
  }
  eachSubschema(value, (inner, steps) => schemaIn({ value: inner, keys: [...keys, ...steps] }, defs))
  return value
}

/** What the value of a keyword should have been, where it cannot be read as it is: libraries write what they like. */
function misread(keyword: string, value: Json): string | undefined {
  const isNumber = typeof value === 'number' && numeric.includes(keywords.get(keyword))
  const isHarmless = annotations.includes(keyword) || isNumber || (Array.isArray(value) && value.length === 0)
  return isHarmless ? undefined : expectedValue(keyword, value)?.replace(/^an? /, '')
}

/** The outcome of reading the contracts of a lock's text. */
type ContractsReading =
  | { readonly kind: 'read'; readonly contracts: Contracts }
  | Exclude<LockReading, { readonly kind: 'read' }>

/** What is generated nests far less. */
const deepest = 1000

/** Reads what a `toolgen.lock.json` records of toolsets and agents; one part that is not as it is written makes it corrupt. */
export function readContracts(text: string): ContractsReading {
  const reading = readLock(text)
  if (reading.kind !== 'read') return reading
  try {
    const value: Json = JSON.parse(text)
    if (isDeeper(value, deepest)) return { kind: 'corrupt', reason: `nests values more than ${deepest} levels deep` }
    return { kind: 'read', contracts: contractsIn({ value, keys: [] }) }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'corrupt', reason: error.message }
    throw error
  }
}

function contractsIn(lock: Part): Contracts {
  return {
    toolsets: eachOf(partOf(lock, 'toolsets'), toolsetIn),
    agents: eachOf(partOf(lock, 'agents'), agentIn),
  }
}

function toolsetIn(part: Part, name: string): ToolsetContract {
  const defs = definitionsIn(partOf(part, 'defs'))
  return {
    name,
    namespace: textIn(partOf(part, 'namespace')),
    description: textIn(partOf(part, 'description')),
    defs,
    tools: eachOf(partOf(part, 'tools'), (tool, toolName) => toolIn(tool, `${name}.${toolName}`, toolName, defs)),
  }
}

function toolIn(part: Part, id: string, name: string, defs: SchemaObject): ToolContract {
  const [remote, updates, serverOwned] = ['remote', 'updates', 'serverOwned'].map((key) => optional(part, key))
  return {
    id,
    name,
    ...(remote !== undefined && { remote: textIn(remote) }),
    about: toolWordsIn(partOf(part, 'about')),
    arguments: payloadIn(partOf(part, 'arguments'), defs),
    serverOwned: serverOwned === undefined ? [] : listIn(serverOwned).map((owned) => serverOwnedIn(owned, defs)),
    result: schemaIn(partOf(part, 'result'), defs),
    ...(updates !== undefined && { updates: schemaIn(updates, defs) }),
  }
}

function toolWordsIn(part: Part): SchemaObject {
  textIn(partOf(part, 'toolName'))
  const examples = optional(part, 'examples')
  if (examples !== undefined) listIn(examples)
  return objectIn(part)
}

function serverOwnedIn(part: Part, defs: SchemaObject): ServerOwnedContract {
  return {
    field: textIn(partOf(part, 'field')),
    from: textIn(partOf(part, 'from')),
    schema: schemaIn(partOf(part, 'schema'), defs),
  }
}

function agentIn(part: Part, name: string): AgentContract {
  return {
    name,
    about: objectIn(partOf(part, 'about')),
    uses: eachOf(partOf(part, 'uses'), useIn),
    exports: listIn(partOf(part, 'exports')).map(textIn),
  }
}

function useIn(part: Part): UseContract {
  const agent = optional(part, 'agent')
  return {
    toolset: textIn(partOf(part, 'toolset')),
    provider: textIn(partOf(part, 'provider')),
    ...(agent !== undefined && { agent: textIn(agent) }),
    tools: new Map(
      listIn(partOf(part, 'tools')).map((tool) => [textIn(partOf(tool, 'tool')), textIn(partOf(tool, 'toolName'))]),
    ),
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}
