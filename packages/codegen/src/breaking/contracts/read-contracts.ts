import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { type LockReading, readLock } from '../../write/lock.js'
import type {
  AgentContract,
  Contracts,
  ServerOwnedContract,
  ToolContract,
  ToolsetContract,
  UseContract,
} from './contracts.js'
import { eachOf, listIn, Malformed, objectIn, optional, type Part, partOf, textIn } from './lock-parts.js'
import { definitionsIn, payloadIn, schemaIn } from './lock-schemas.js'

/** The outcome of reading the contracts of a lock's text. */
export type ContractsReading =
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
  textIn(partOf(part, 'wireName'))
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
      listIn(partOf(part, 'tools')).map((tool) => [textIn(partOf(tool, 'tool')), textIn(partOf(tool, 'wireName'))]),
    ),
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner: Json) => isDeeper(inner, levels - 1))
}
