import { MAX_NEAR } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import { parsePointer, pointerOf } from '../schema/json-pointer.js'
import { deepEqual, equalityKey, type Fields, isContainer, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { nearestNames } from '../schema/nearest.js'
import { decodeFragment } from '../schema/references.js'
import { isSchema } from '../schema/subschemas.js'
import type { JsonSchema } from '../types/json.js'
import type {
  McpCaller,
  McpDrift,
  McpDriftReport,
  McpExecutorOptions,
  McpServedTool,
  McpToolInfo,
  ToolsetImport,
} from '../types/mcp.js'
import type { AgentToolSpec, ToolId } from '../types/tool.js'

/**
 * Compares the current tools of an MCP server (`live`) with the tools at the time of the import (`captured`).
 *
 * @param unused names of the server's tools that the import intentionally excluded; these tools are not reported as added
 *
 * @example
 * for (const { message } of mcpDrift(captured, await caller.listTools()).changes) console.log(message)
 */
export function mcpDrift(
  captured: readonly McpServedTool[],
  live: readonly McpToolInfo[],
  unused: readonly string[] = [],
): McpDriftReport {
  const names = new Set([...captured.map(({ name }) => name), ...unused])
  const changes = captured.flatMap((tool) => toolDrift(tool, live))
  const added = live
    .filter(({ name }) => !names.has(name))
    .map(({ name }): McpDrift => ({ tool: name, kind: 'added', message: `The server has a new tool '${name}'.` }))
  return { changes: [...changes, ...added] }
}

const BREAKING = { arguments: 'narrowed', result: 'widened' } as const

export function isBreaking({ kind, side }: McpDrift): boolean {
  return kind === 'removed' || (side !== undefined && kind === BREAKING[side])
}

function toolDrift(captured: McpServedTool, live: readonly McpToolInfo[]): readonly McpDrift[] {
  const { name: tool } = captured
  const now = live.find(({ name }) => name === tool)
  if (now === undefined) return [{ tool, kind: 'removed', message: `The server no longer has the tool '${tool}'.` }]
  // Tools declared by hand have no schema to compare.
  if (captured.inputSchema === undefined) return []
  const sides = [
    ['arguments', 'are', captured.inputSchema, now.inputSchema],
    ['result', 'is', captured.outputSchema ?? true, now.outputSchema ?? true],
  ] as const
  const changes = sides.flatMap(([side, verb, before, after]) =>
    new SchemaComparison(before, after, BREAKING[side]).changes.map(({ kind, path, message }): McpDrift => {
      const location = path === '' ? '' : ` at ${path}`
      return { tool, kind, side, path, message: `The ${side} of '${tool}' ${verb} ${kind}${location}: ${message}.` }
    }),
  )
  const isSameSchema =
    deepEqual(captured.inputSchema, now.inputSchema) && deepEqual(captured.outputSchema, now.outputSchema)
  if (captured.description === now.description && (changes.length > 0 || isSameSchema)) return changes
  return [...changes, { tool, kind: 'described', message: `The description of the tool '${tool}' has changed.` }]
}

interface SchemaChange {
  readonly kind: 'narrowed' | 'widened'
  readonly path: string
  readonly message: string
}

const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']
const BOUNDS = [...UPPER_BOUNDS, 'minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']

const COMPARED: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'definitions', 'type', 'enum', 'const', 'required', 'properties', 'additionalProperties'],
  ...['items', 'anyOf', 'oneOf', ...BOUNDS],
])

const NOTES: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

const KINDS = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']

/** A change of a keyword that this class cannot compare has the kind `narrowed`. */
class SchemaComparison {
  readonly changes: SchemaChange[] = []
  readonly #captured: JsonSchema
  readonly #live: JsonSchema
  readonly #breaking: SchemaChange['kind']
  /** Compared pairs of references, so that the comparison of recursive schemas ends. */
  readonly #seen = new Set<string>()

  /**
   * An added or removed required property narrows and widens the accepted values. `breaking` is the kind that can make calls fail: `narrowed` for
   * arguments, `widened` for results.
   */
  constructor(captured: JsonSchema, live: JsonSchema, breaking: SchemaChange['kind']) {
    this.#captured = captured
    this.#live = live
    this.#breaking = breaking
    this.#compare(captured, live, [])
  }

  #report(kind: SchemaChange['kind'], path: readonly string[], message: string): void {
    this.changes.push({ kind, path: pointerOf(path), message })
  }

  #compare(before: unknown, now: unknown, path: readonly string[]): void {
    const was = resolved(this.#captured, before)
    const is = resolved(this.#live, now)
    if (was.reference !== undefined && is.reference !== undefined) {
      const pair = JSON.stringify([was.reference, is.reference])
      if (this.#seen.has(pair)) return
      this.#seen.add(pair)
    }
    if (was.schema === false || is.schema === false) {
      if (was.schema === is.schema) return
      if (is.schema === false) this.#report('narrowed', path, 'it accepts no value now')
      else this.#report('widened', path, 'it accepts values now')
      return
    }
    const [from, to] = [withoutNotes(was.schema), withoutNotes(is.schema)]
    if (was.reference === undefined && deepEqual(from, to)) return
    this.#compareSets(kindsOf(from.type), kindsOf(to.type), path, ' or ', (gone) => `it no longer accepts ${gone}`)
    this.#compareLiterals(from, to, path)
    for (const keyword of BOUNDS) this.#compareBound(keyword, from[keyword], to[keyword], path)
    this.#compareObjects(from, to, path)
    for (const keyword of ['anyOf', 'oneOf']) this.#compareVariants(keyword, from[keyword], to[keyword], path)
    if (isSchema(from.items) && isSchema(to.items)) this.#compare(from.items, to.items, [...path, 'items'])
    else this.#compareWhole('items', from.items, to.items, path)
    for (const keyword of new Set([...Object.keys(from), ...Object.keys(to)])) {
      if (!COMPARED.has(keyword)) this.#compareWhole(keyword, from[keyword], to[keyword], path)
    }
  }

  #compareWhole(keyword: string, before: unknown, now: unknown, path: readonly string[]): void {
    if (deepEqual(before, now)) return
    if (now === undefined) this.#report('widened', path, `${keyword} was removed`)
    else this.#report('narrowed', path, before === undefined ? `${keyword} was added` : `${keyword} has changed`)
  }

  #compareLiterals(from: Fields, to: Fields, path: readonly string[]): void {
    const [was, is] = [literalsOf(from), literalsOf(to)]
    if (was !== undefined && is !== undefined) {
      this.#compareSets(was, is, path, ', ', (gone) => `it no longer accepts ${gone}`)
    } else if (is !== undefined) this.#report('narrowed', path, 'it accepts only listed values now')
    else if (was !== undefined) this.#report('widened', path, 'it now also accepts values that are not listed')
  }

  #compareSets(
    was: readonly string[],
    is: readonly string[],
    path: readonly string[],
    separator: string,
    goneMessage: (gone: string) => string,
  ): void {
    const gone = without(was, is)
    const added = without(is, was)
    if (gone.length > 0) this.#report('narrowed', path, goneMessage(gone.join(separator)))
    if (added.length > 0) this.#report('widened', path, `it now accepts ${added.join(separator)}`)
  }

  #compareBound(keyword: string, was: unknown, is: unknown, path: readonly string[]): void {
    // In old dialects, `exclusiveMinimum` and `exclusiveMaximum` are booleans.
    if (typeof was !== 'number' || typeof is !== 'number') this.#compareWhole(keyword, was, is, path)
    else if (was !== is) {
      const isLooser = UPPER_BOUNDS.includes(keyword) === is > was
      this.#report(isLooser ? 'widened' : 'narrowed', path, `${keyword} was ${was} and is ${is}`)
    }
  }

  #compareObjects(from: Fields, to: Fields, path: readonly string[]): void {
    const [wasRequired, isRequired] = [namesOf(from.required) ?? [], namesOf(to.required) ?? []]
    const [became, ceased] = [without(isRequired, wasRequired), without(wasRequired, isRequired)]
    const [before, now] = [withoutNotes(from.properties), withoutNotes(to.properties)]
    const at = (name: string): readonly string[] => [...path, 'properties', name]
    const has = Object.hasOwn
    for (const name of became) {
      if (!has(before, name) && has(now, name))
        this.#report(this.#breaking, at(name), `'${name}' was added and is required`)
      else this.#report('narrowed', at(name), `'${name}' is required now`)
    }
    for (const name of ceased) {
      if (has(before, name) && !has(now, name)) {
        this.#report(this.#breaking, at(name), `the required '${name}' was removed`)
      } else this.#report('widened', at(name), `'${name}' is optional now`)
    }
    for (const name of Object.keys(before)) {
      if (has(now, name)) this.#compare(before[name], now[name], at(name))
      else if (!ceased.includes(name)) this.#report('narrowed', at(name), `'${name}' was removed`)
    }
    for (const name of Object.keys(now)) {
      if (!has(before, name) && !became.includes(name)) this.#report('widened', at(name), `'${name}' was added`)
    }
    const rest = [...path, 'additionalProperties']
    this.#compare(from.additionalProperties ?? true, to.additionalProperties ?? true, rest)
  }

  #compareVariants(keyword: string, was: unknown, is: unknown, path: readonly string[]): void {
    if (!Array.isArray(was) || !Array.isArray(is)) {
      this.#compareWhole(keyword, was, is, path)
      return
    }
    const isIn = (variant: unknown, variants: readonly unknown[]): boolean =>
      variants.some((other) => deepEqual(withoutNotes(variant), withoutNotes(other)))
    const gone = was.filter((variant) => !isIn(variant, is))
    const added = is.filter((variant) => !isIn(variant, was))
    if (gone.length === added.length) {
      // These are probably the same variants with changes.
      for (const [index, variant] of gone.entries()) {
        this.#compare(variant, added[index], [...path, keyword, String(is.indexOf(added[index]))])
      }
      return
    }
    const at = [...path, keyword]
    if (gone.length > 0) this.#report('narrowed', at, `${gone.length} of ${was.length} variants were removed`)
    if (added.length > 0) this.#report('widened', at, `${added.length} variants were added`)
  }
}

function without(values: readonly string[], others: readonly string[]): readonly string[] {
  return values.filter((value) => !others.includes(value))
}

function withoutNotes(schema: unknown): Fields {
  return isFields(schema) ? Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOTES.has(keyword))) : {}
}

function resolved(document: JsonSchema, schema: unknown): { readonly schema: unknown; readonly reference?: string } {
  let result: ReturnType<typeof resolved> = { schema }
  // Chains of references are rare, and cycles are errors of the server.
  for (let step = 0; step < 20; step += 1) {
    const target = result.schema
    if (!isFields(target) || typeof target.$ref !== 'string' || !target.$ref.startsWith('#')) break
    let part: unknown = document
    for (const segment of parsePointer(target.$ref.slice(1)) ?? []) {
      // A pointer that is not percent-encoded is used as it is.
      const name = decodeFragment(segment) ?? segment
      part = isContainer(part) && Object.hasOwn(part, name) ? Reflect.get(part, name) : true
    }
    result = { schema: part, reference: target.$ref }
  }
  return result
}

function kindsOf(type: unknown): readonly string[] {
  const names: readonly unknown[] = type === undefined ? KINDS : [type].flat()
  return KINDS.filter((kind) => names.includes(kind) || (kind === 'integer' && names.includes('number')))
}

function literalsOf(schema: Fields): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map(equalityKey)
  return Object.hasOwn(schema, 'const') ? [equalityKey(schema.const)] : undefined
}

interface CalledTool {
  readonly tool: AgentToolSpec
  readonly served: McpServedTool
}

export class DriftWatch {
  readonly #imported: ToolsetImport
  readonly #onDrift: NonNullable<McpExecutorOptions['onDrift']>
  readonly #watched = new WeakSet<McpCaller>()
  #live: readonly McpToolInfo[] | undefined
  #checked: Promise<McpDriftReport> | undefined

  constructor(imported: ToolsetImport, onDrift: McpExecutorOptions['onDrift'] = 'warn') {
    this.#imported = imported
    this.#onDrift = onDrift
  }

  check(caller: McpCaller): Promise<McpDriftReport> {
    if (!this.#watched.has(caller)) {
      this.#watched.add(caller)
      caller.onToolsChanged?.(() => {
        this.#checked = undefined
        if (this.#onDrift !== 'ignore') this.check(caller).catch(() => undefined)
      })
    }
    if (this.#checked !== undefined) return this.#checked
    const checked = this.#compare(caller)
    this.#checked = checked
    checked.catch(() => {
      if (this.#checked === checked) this.#checked = undefined
    })
    return checked
  }

  async #compare(caller: McpCaller): Promise<McpDriftReport> {
    const { toolset, tools, unused } = this.#imported
    const live = await caller.listTools()
    this.#live = live
    const report = mcpDrift(Object.values(tools), live, unused)
    if (report.changes.length > 0 && typeof this.#onDrift === 'function') this.#onDrift(report)
    if (report.changes.length > 0 && this.#onDrift === 'warn') {
      const title = `The MCP server of toolset '${toolset.name}' has changed since its tools were imported:`
      const next = `Import the tools again: npx toolgen import mcp ${toolset.name}`
      console.warn([title, ...report.changes.map(({ message }) => `  - ${message}`), next].join('\n'))
    }
    return report
  }

  /** @throws {ToolFailure} with `onDrift: 'fail'`, if the called tool was removed or has changed in a way that can make calls fail. */
  async before(caller: McpCaller, { tool, served }: CalledTool): Promise<void> {
    if (this.#onDrift === 'ignore') return
    const checked = this.check(caller)
    if (this.#onDrift !== 'fail') {
      // If the server cannot list its tools, the call itself will fail and report it.
      checked.catch(() => undefined)
      return
    }
    const breaking = (await checked).changes.find((change) => change.tool === served.name && isBreaking(change))
    if (breaking === undefined) return
    const cause = new TypeError(importAgain(breaking))
    if (breaking.kind === 'removed') throw this.#missingTool(tool, cause)
    const message = 'The tool has changed on its server and must be imported again before it can be called.'
    throw new ToolFailure(message, { reason: 'internal', cause })
  }

  /** Returns `undefined` if no change of the tool explains why the server has rejected the call. */
  async refused(
    caller: McpCaller,
    { tool, served }: CalledTool,
    text: string,
    cause: unknown,
  ): Promise<ToolFailure | undefined> {
    const report = await this.check(caller).catch(() => undefined)
    if (this.#live?.every(({ name }) => name !== served.name)) return this.#missingTool(tool, cause)
    const narrowed = report?.changes.find(
      (change) => change.tool === served.name && change.side === 'arguments' && change.kind === 'narrowed',
    )
    if (narrowed === undefined) return undefined
    const message = `The tool has changed on its server, which rejected the arguments${text === '' ? '' : `: ${text}`}`
    return new ToolFailure(message, {
      reason: 'domain_rejection',
      action: 'replan',
      cause: new TypeError(importAgain(narrowed), cause === undefined ? undefined : { cause }),
    })
  }

  #missingTool({ name, toolName, qualifiedId, provider }: AgentToolSpec, cause: unknown): ToolFailure {
    const { toolset, tools } = this.#imported
    const live = new Set(this.#live?.map((tool) => tool.name))
    const listed = toolset.tools
      .map(({ spec }) => spec.name)
      .filter((each) => Object.hasOwn(tools, each) && live.has(tools[each]?.name ?? ''))
    // The agent can use the toolset under another name.
    const use = qualifiedId.slice(provider.length + 1, -(name.length + 1))
    const near = nearestNames(name, listed, MAX_NEAR).map((each): ToolId => `${use}.${each}`)
    const message = `The tool ${JSON.stringify(toolName)} is not available any more.`
    return new ToolFailure(message, { reason: 'unknown_tool', near, cause })
  }
}

function importAgain({ message }: McpDrift): string {
  return `${message} Import the server's tools again.`
}
