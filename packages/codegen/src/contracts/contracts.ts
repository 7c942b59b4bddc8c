import { eachSubschema, pointerOf } from '@toolgen/runtime/schema'
import { defined } from '../defined.js'
import { type LockReading, readLock } from '../output/lock.js'
import { isDeeper } from '../schema/json-error.js'
import { type Defs, isObject, isSchema, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { annotations, expectedValue, type KeywordValue, keywords } from '../schema/keywords.js'
import { referenceLoops } from '../schema/reference-loops.js'
import { refName } from '../schema/references.js'

export interface Contracts {
  readonly toolsets: ReadonlyMap<string, ToolsetContract>
  readonly agents: ReadonlyMap<string, AgentContract>
}

export interface ToolsetContract {
  readonly name: string
  readonly namespace: string
  readonly description: string
  readonly defs: Defs
  readonly tools: ReadonlyMap<string, ToolContract>
  readonly prompts: ReadonlyMap<string, PromptContract>
  readonly resourceTemplates: ReadonlyMap<string, ResourceTemplateContract>
}

export interface PromptContract {
  readonly description?: string
  readonly arguments: Schema
}

export interface ResourceTemplateContract {
  readonly uriTemplate: string
  readonly description?: string
  readonly variables: Schema
}

export interface ToolContract {
  readonly id: string
  readonly name: string
  /** Name of the tool on its MCP server. */
  readonly remote?: string
  readonly about: SchemaObject
  readonly arguments: Schema
  readonly serverOwned: readonly ServerOwnedContract[]
  readonly result: Schema
  readonly updates?: Schema
  readonly errors?: ReadonlyMap<string, Schema>
  readonly failures: ReadonlyMap<string, FailureContract>
}

interface FailureContract {
  readonly about: SchemaObject
  readonly schema?: Schema
}

interface ServerOwnedContract {
  readonly field: string
  readonly from: string
  readonly schema: Schema
}

export interface AgentContract {
  readonly name: string
  readonly about: SchemaObject
  /** By the name of the toolset in the agent. */
  readonly uses: ReadonlyMap<string, UseContract>
  readonly exports: readonly string[]
}

export interface UseContract {
  readonly toolset: string
  readonly provider: string
  readonly agent?: string
  /** Tool names that the agent's model receives, by the name of the tool in the toolset. */
  readonly tools: ReadonlyMap<string, string>
}

type ContractsReading =
  | { readonly kind: 'read'; readonly contracts: Contracts }
  | Exclude<LockReading, { readonly kind: 'read' }>

const maxLevels = 1000

export function readContracts(text: string): ContractsReading {
  const reading = readLock(text)
  if (reading.kind !== 'read') return reading
  try {
    const value: Json = JSON.parse(text)
    if (isDeeper(value, maxLevels)) return { kind: 'corrupt', reason: `has more than ${maxLevels} nested levels` }
    const lock = new Part(value, [])
    const contracts = {
      toolsets: lock.at('toolsets').mapEach(readToolset),
      agents: lock.at('agents').mapEach(readAgent),
    }
    return { kind: 'read', contracts }
  } catch (error) {
    if (error instanceof MalformedError) return { kind: 'corrupt', reason: error.message }
    throw error
  }
}

class MalformedError extends Error {
  override name = 'MalformedError'

  constructor(keys: readonly string[], expected: string) {
    super(`must have ${expected} at ${pointerOf(keys) || 'the root'}`)
  }
}

class Part {
  readonly value: Json
  readonly keys: readonly string[]

  constructor(value: Json, keys: readonly string[]) {
    this.value = value
    this.keys = keys
  }

  at(key: string): Part {
    return this.optional(key) ?? new Part(null, [...this.keys, key]).fail('a value')
  }

  optional(key: string): Part | undefined {
    const value = own(this.object(), key)
    return value === undefined ? undefined : new Part(value, [...this.keys, key])
  }

  object(): SchemaObject {
    return isObject(this.value) ? this.value : this.fail('an object')
  }

  list(): readonly Part[] {
    if (!Array.isArray(this.value)) return this.fail('an array')
    return this.value.map((value: Json, index) => new Part(value, [...this.keys, String(index)]))
  }

  text(): string {
    return typeof this.value === 'string' ? this.value : this.fail('a string')
  }

  mapEach<T>(read: (part: Part, name: string) => T): ReadonlyMap<string, T> {
    return new Map(Object.keys(this.object()).map((name) => [name, read(this.at(name), name)]))
  }

  schema(defs: SchemaObject): Schema {
    const { value, keys } = this
    if (!isSchema(value)) return this.fail('a schema')
    if (typeof value === 'boolean') return value
    for (const [keyword, operand] of Object.entries(value)) {
      const expected = expectedOperand(keyword, operand)
      if (expected !== undefined) throw new MalformedError([...keys, keyword], expected)
    }
    const reference = own(value, '$ref')
    if (reference !== undefined && own(defs, refName(reference) ?? '') === undefined) {
      throw new MalformedError([...keys, '$ref'], 'the name of a definition')
    }
    eachSubschema(value, (inner, steps) => new Part(inner, [...keys, ...steps]).schema(defs))
    return value
  }

  fail(expected: string): never {
    throw new MalformedError(this.keys, expected)
  }
}

const numeric: readonly (KeywordValue | undefined)[] = ['number', 'positive number', 'count']

/** Returns `undefined` for a usable value. An invalid value such as a negative `minLength` is usable, because schema libraries write it. */
function expectedOperand(keyword: string, value: Json): string | undefined {
  const isNumber = typeof value === 'number' && numeric.includes(keywords.get(keyword))
  const isHarmless = annotations.includes(keyword) || isNumber || (Array.isArray(value) && value.length === 0)
  return isHarmless ? undefined : expectedValue(keyword, value)
}

function readToolset(part: Part, name: string): ToolsetContract {
  const [namespace, description] = [part.at('namespace').text(), part.at('description').text()]
  const known = part.at('defs').object()
  const defs = part.at('defs').mapEach((def) => def.schema(known))
  if (referenceLoops(defs, (each) => [each]).length > 0) part.at('defs').fail('definitions without a cycle')
  const tools = part.at('tools').mapEach((tool, toolName) => readTool(tool, `${name}.${toolName}`, toolName, known))
  const prompts = part
    .optional('prompts')
    ?.mapEach((prompt) =>
      defined({ description: prompt.optional('description')?.text(), arguments: prompt.at('arguments').schema({}) }),
    )
  const resourceTemplates = part.optional('resourceTemplates')?.mapEach((template) =>
    defined({
      uriTemplate: template.at('uriTemplate').text(),
      description: template.optional('description')?.text(),
      variables: template.at('variables').schema({}),
    }),
  )
  return {
    ...{ name, namespace, description, defs: Object.fromEntries(defs), tools },
    prompts: prompts ?? new Map(),
    resourceTemplates: resourceTemplates ?? new Map(),
  }
}

function readTool(part: Part, id: string, name: string, defs: SchemaObject): ToolContract {
  const [about, sent] = [part.at('about'), part.at('arguments')]
  about.at('toolName').text()
  about.optional('examples')?.list()
  sent.object()
  return defined({
    id,
    name,
    remote: part.optional('remote')?.text(),
    about: about.object(),
    arguments: sent.schema(defs),
    serverOwned: (part.optional('serverOwned')?.list() ?? []).map((owned) => ({
      field: owned.at('field').text(),
      from: owned.at('from').text(),
      schema: owned.at('schema').schema(defs),
    })),
    result: part.at('result').schema(defs),
    updates: part.optional('updates')?.schema(defs),
    errors: part.optional('errors')?.mapEach((error) => error.schema(defs)),
    failures: part.optional('failures')?.mapEach((failure) => readFailure(failure, defs)) ?? new Map(),
  })
}

function readFailure(part: Part, defs: SchemaObject): FailureContract {
  const { schema: _, ...about } = part.object()
  return defined({ about, schema: part.optional('schema')?.schema(defs) })
}

function readAgent(part: Part, name: string): AgentContract {
  return {
    name,
    about: part.at('about').object(),
    uses: part.at('uses').mapEach((use) =>
      defined({
        toolset: use.at('toolset').text(),
        provider: use.at('provider').text(),
        agent: use.optional('agent')?.text(),
        tools: new Map(
          use
            .at('tools')
            .list()
            .map((tool) => [tool.at('tool').text(), tool.at('toolName').text()]),
        ),
      }),
    ),
    exports: part
      .at('exports')
      .list()
      .map((each) => each.text()),
  }
}
