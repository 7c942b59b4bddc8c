import { Run } from '../schema/evaluation.js'
import { type Fields, isContainer, isFields, MAX_DEPTH } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import { readDocument, type SchemaDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject, JsonText } from '../types/json.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolSpec } from '../types/tool.js'
import { typeList } from './merge-schemas.js'
import { objectRoot } from './object-root.js'
import { strictProjection } from './openai-strict.js'
import type { NullPlan, VariantPlan } from './openai-strict-schema.js'
import type { Projection, ProjectionChange, Report, WrittenSchema } from './report.js'
import { located, mapSubschemas, plainSchema } from './schemas.js'

/** A function tool of OpenAI's chat completions. */
export interface OpenAiTool {
  readonly type: 'function'
  readonly function: {
    readonly name: string
    readonly description: string
    readonly parameters: JsonSchemaObject
    readonly strict: boolean
  }
}

/** How a tool is sent. */
export interface OpenAiToolOptions {
  /** Ask for strict mode where the tool can be said in it. Default true. */
  readonly strict?: boolean
}

/** A tool for OpenAI. */
export interface OpenAiProjection extends Projection<OpenAiTool> {
  /** Whether the tool is sent in strict form; the changes say why not, where that was asked for. */
  readonly strict: boolean
}

/**
 * A tool for OpenAI's chat completions, in strict mode where that can say it: every field is required, optional ones
 * may be null, objects are closed, and what the mode has no keyword for stands in the descriptions. A tool that strict
 * mode cannot say (free-form objects, a union as root, a schema beyond its limits) is sent with `strict: false`, with a
 * `fallback` for every reason.
 *
 * What a model answers in strict form goes through {@link restoreArguments} before it is decoded.
 *
 * @throws {SchemaError} when the schema of the arguments is faulty.
 * @example
 * const { tool, strict, changes } = openAiTool(getOrderSpec)
 * await client.chat.completions.create({ model, messages, tools: [tool] })
 */
export function openAiTool(spec: ToolSpec, options: OpenAiToolOptions = {}): OpenAiProjection {
  const { strict: asked = true } = options
  const projection = asked ? strictProjection(spec.arguments) : undefined
  if (projection?.strict !== undefined) {
    return { tool: toolOf(spec, projection.strict.parameters, true), strict: true, changes: projection.changes }
  }
  const changes: ProjectionChange[] = (projection?.changes ?? []).filter((change) => change.kind === 'fallback')
  const report = (change: ProjectionChange): void => void changes.push(change)
  const root = objectRoot(plainSchema(spec.arguments), { vendor: 'OpenAI', report })
  const parameters = withItems(root, '', report)
  return { tool: toolOf(spec, isFields(parameters) ? parameters : root, false), strict: false, changes }
}

function toolOf(spec: ToolSpec, parameters: JsonSchemaObject, strict: boolean): OpenAiTool {
  return { type: 'function', function: { name: spec.toolName, description: spec.description, parameters, strict } }
}

/** A function tool of OpenAI's Responses API. */
export type OpenAiResponsesTool = { readonly type: 'function' } & OpenAiTool['function']

/**
 * Tools for a request to OpenAI's chat completions; see {@link openAiTool}, which also reports what it changed.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.chat.completions.create({ model, messages, tools: toOpenAITools(support.specs) })
 */
export function toOpenAITools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiTool[] {
  return specs.map((spec) => openAiTool(spec, options).tool)
}

/**
 * The same tools for a request to OpenAI's Responses API.
 *
 * @throws {SchemaError} when the schema of some arguments is faulty.
 * @example
 * await client.responses.create({ model, input, tools: toOpenAIResponsesTools(support.specs) })
 */
export function toOpenAIResponsesTools(specs: readonly ToolSpec[], options?: OpenAiToolOptions): OpenAiResponsesTool[] {
  return toOpenAITools(specs, options).map(({ type, function: described }) => ({ type, ...described }))
}

/** A copy of a schema whose every array says what its items are: OpenAI refuses arrays that do not, strict or not. */
function withItems(schema: Fields, pointer: string, report: Report): Fields {
  const inside = mapSubschemas(schema, pointer, (part, place) =>
    isFields(part) ? withItems(part, place, report) : part,
  )
  if (!typeList(schema.type).includes('array') || Object.hasOwn(schema, 'items')) return inside
  report({
    pointer,
    keyword: 'items',
    kind: 'changed',
    message: 'The array takes any items, which is written out as `items: {}`: OpenAI refuses arrays without it.',
    loosens: false,
  })
  return { ...inside, items: {} }
}

/** Where nulls are removed, and the strict schema by which the variants of unions are told apart. */
interface NullRemoval {
  readonly parameters: WrittenSchema
  readonly plan: NullPlan
  readonly definitions: ReadonlyMap<string, NullPlan | undefined>
}

/** Takes the nulls that stand for nothing out of parsed arguments, in place; says whether there were any. */
function nullRemover(removal: NullRemoval): (value: unknown) => boolean {
  const document = readDocument(removal.parameters)
  return (value) => new Walk(removal.definitions, document).removeFrom(value, removal.plan, 0)
}

class Walk {
  readonly #definitions: NullRemoval['definitions']
  readonly #document: SchemaDocument

  constructor(definitions: NullRemoval['definitions'], document: SchemaDocument) {
    this.#definitions = definitions
    this.#document = document
  }

  removeFrom(value: unknown, plan: NullPlan | undefined, depth: number): boolean {
    // Deeper values are refused by every codec.
    if (plan === undefined || !isContainer(value) || depth > MAX_DEPTH) return false
    switch (plan.kind) {
      case 'definition':
        return this.removeFrom(value, this.#definitions.get(plan.name), depth)
      case 'either':
        return this.removeFrom(value, this.#matching(value, plan.variants)?.plan, depth)
      case 'parts':
        return Array.isArray(value) ? this.#fromItems(value, plan, depth) : this.#fromFields(value, plan, depth)
    }
  }

  #fromFields(value: object, { fields }: Extract<NullPlan, { kind: 'parts' }>, depth: number): boolean {
    let removed = false
    if (!isFields(value)) return removed
    for (const [name, field] of fields ?? []) {
      if (!Object.hasOwn(value, name)) continue
      if (value[name] === null && field.removesNull) removed = Reflect.deleteProperty(value, name) || removed
      else removed = this.removeFrom(value[name], field.plan, depth + 1) || removed
    }
    return removed
  }

  #fromItems(value: readonly unknown[], { items }: Extract<NullPlan, { kind: 'parts' }>, depth: number): boolean {
    let removed = false
    if (items === undefined) return removed
    for (const [at, item] of value.entries()) {
      const plan = at < items.first.length ? items.first[at] : items.rest
      removed = this.removeFrom(item, plan, depth + 1) || removed
    }
    return removed
  }

  /** The first variant that the value, as the model sent it, satisfies. */
  #matching(value: unknown, variants: readonly VariantPlan[]): VariantPlan | undefined {
    return variants.find(({ schema }) => {
      const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
      run.quiet = true
      return this.#document.node(located(schema, this.#document)).check(value, run, undefined)
    })
  }
}

/** What is read of a tool. */
type ToolArguments = Pick<ToolSpec, 'arguments'>

/**
 * Turns arguments that a model wrote under {@link openAiTool}'s strict form back into those that the tool takes: where
 * the strict form lets null stand for an optional field that is left out, the null is removed. Nothing else is touched:
 * not a null that the tool's own schema allows, nor any of a tool that is not sent in strict form, nor one in a value
 * that fits no variant of a union. Where nothing is removed, and where the text is not JSON, it is returned as it is:
 * the codec says what is wrong with it.
 *
 * Prepares the schema at every call; see {@link argumentRestorer} and {@link removeStrictNulls}.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 * @example
 * restoreArguments(getOrderSpec, '{"orderId":"A-1","note":null}') // '{"orderId":"A-1"}' where `note` is optional
 */
export function restoreArguments(spec: ToolArguments, json: JsonText): JsonText {
  return argumentRestorer(spec)(json)
}

/** {@link restoreArguments} for one tool, whose schema is prepared once, when the first call needs it. */
export function argumentRestorer(spec: ToolArguments): (json: JsonText) => JsonText {
  let restore: ((json: JsonText) => JsonText) | undefined
  return (json) => {
    restore ??= restorer(spec)
    return restore(json)
  }
}

/**
 * A payload adapter for the toolsets of an agent whose tools are sent to OpenAI in strict form. Every tool is prepared
 * once.
 *
 * @example
 * newSupportOrdersToolsetRegistration(executor, { payloadAdapter: removeStrictNulls() })
 */
export function removeStrictNulls(): JsonAdapter {
  const known = new WeakMap<object, (json: JsonText) => JsonText>()
  return (json, { tool }) => {
    const restore = known.get(tool) ?? argumentRestorer(tool)
    known.set(tool, restore)
    return restore(json)
  }
}

function restorer(spec: ToolArguments): (json: JsonText) => JsonText {
  const { strict } = strictProjection(spec.arguments)
  if (strict?.plan === undefined) return (json) => json
  const removeNulls = nullRemover({ ...strict, plan: strict.plan })
  return (json) => {
    const parsed = parseJson(json)
    if (!parsed.ok || isDeeperThan(parsed.value, MAX_DEPTH)) return json
    return removeNulls(parsed.value) ? JSON.stringify(parsed.value) : json
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  return isContainer(value) && (levels === 0 || Object.values(value).some((part) => isDeeperThan(part, levels - 1)))
}

/** A tool with its arguments as plain JSON Schema 2020-12. */
export interface JsonSchemaTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly parameters: JsonSchema
}

/**
 * A tool for whoever takes JSON Schema as it is: prompts, open models, other frameworks. Nothing of the schema is
 * changed.
 *
 * @example
 * const { tool } = jsonSchemaTool(getOrderSpec)
 * const prompt = `You may call ${tool.name} with arguments that match ${JSON.stringify(tool.parameters)}.`
 */
export function jsonSchemaTool(spec: ToolSpec): Projection<JsonSchemaTool> {
  const { toolName: name, title, description } = spec
  return { tool: { name, title, description, parameters: plainSchema(spec.arguments) }, changes: [] }
}
