import { isObject, isSchema, own } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { eachSubschema } from '../../schema/json/keywords.js'
import { pointerOf, refName } from '../../schema/json/pointer.js'
import { type LockReading, readLock } from '../../write/lock.js'
import type {
  AgentContract,
  Contracts,
  ServerOwnedContract,
  ToolContract,
  ToolsetContract,
  UseContract,
} from './contracts.js'

/** The outcome of reading the contracts of a lock's text. */
export type ContractsReading =
  | { readonly kind: 'read'; readonly contracts: Contracts }
  | Exclude<LockReading, { readonly kind: 'read' }>

/** Reads what a `toolgen.lock.json` records of toolsets and agents; one part that is not as it is written makes it corrupt. */
export function readContracts(text: string): ContractsReading {
  const reading = readLock(text)
  if (reading.kind !== 'read') return reading
  try {
    return { kind: 'read', contracts: contractsIn({ value: JSON.parse(text), keys: [] }) }
  } catch (error) {
    if (error instanceof Malformed) return { kind: 'corrupt', reason: error.message }
    throw error
  }
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

function contractsIn(lock: Part): Contracts {
  return {
    toolsets: eachOf(partOf(lock, 'toolsets'), toolsetIn),
    agents: eachOf(partOf(lock, 'agents'), agentIn),
  }
}

function toolsetIn(part: Part, name: string): ToolsetContract {
  const defs = objectIn(partOf(part, 'defs'))
  const schemas = eachOf(partOf(part, 'defs'), (def) => schemaIn(def, defs))
  return {
    name,
    namespace: textIn(partOf(part, 'namespace')),
    description: textIn(partOf(part, 'description')),
    defs: Object.fromEntries(schemas),
    tools: eachOf(partOf(part, 'tools'), (tool, toolName) => toolIn(tool, `${name}.${toolName}`, toolName, defs)),
  }
}

function toolIn(part: Part, id: string, name: string, defs: SchemaObject): ToolContract {
  const [remote, updates, serverOwned] = ['remote', 'updates', 'serverOwned'].map((key) => optional(part, key))
  return {
    id,
    name,
    ...(remote !== undefined && { remote: textIn(remote) }),
    about: objectIn(partOf(part, 'about')),
    arguments: schemaIn(partOf(part, 'arguments'), defs),
    serverOwned: serverOwned === undefined ? [] : listIn(serverOwned).map((owned) => serverOwnedIn(owned, defs)),
    result: schemaIn(partOf(part, 'result'), defs),
    ...(updates !== undefined && { updates: schemaIn(updates, defs) }),
  }
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
      listIn(partOf(part, 'tools')).map((tool) => [textIn(partOf(tool, 'tool')), textIn(partOf(tool, 'wireName'))]),
    ),
  }
}

function eachOf<T>(part: Part, read: (inner: Part, name: string) => T): ReadonlyMap<string, T> {
  return new Map(Object.keys(objectIn(part)).map((name) => [name, read(partOf(part, name), name)]))
}

function partOf(part: Part, key: string): Part {
  const value = own(objectIn(part), key)
  const inner = { value: value ?? null, keys: [...part.keys, key] }
  if (value === undefined) throw new Malformed(inner, 'value')
  return inner
}

function optional(part: Part, key: string): Part | undefined {
  return own(objectIn(part), key) === undefined ? undefined : partOf(part, key)
}

function objectIn(part: Part): SchemaObject {
  if (isObject(part.value)) return part.value
  throw new Malformed(part, 'object')
}

function listIn(part: Part): readonly Part[] {
  if (!Array.isArray(part.value)) throw new Malformed(part, 'list')
  return part.value.map((value: Json, index) => ({ value, keys: [...part.keys, String(index)] }))
}

function textIn(part: Part): string {
  if (typeof part.value === 'string') return part.value
  throw new Malformed(part, 'text')
}

/** A schema all of whose references lead to definitions. */
function schemaIn(part: Part, defs: SchemaObject): Schema {
  const { value, keys } = part
  if (!isSchema(value)) throw new Malformed(part, 'schema')
  if (typeof value === 'boolean') return value
  const reference = own(value, '$ref')
  if (reference !== undefined && own(defs, refName(reference) ?? '') === undefined) {
    throw new Malformed({ value: reference, keys: [...keys, '$ref'] }, 'name of a definition')
  }
  eachSubschema(value, (inner, steps) => schemaIn({ value: inner, keys: [...keys, ...steps] }, defs))
  return value
}
