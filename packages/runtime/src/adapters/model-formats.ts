import { strictProjection } from '../projections/openai-strict.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import { plainSchema } from '../projections/schemas.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { JsonSchema, JsonSchemaObject, JsonText } from '../types/json.js'
import type { ModelRequest, ResponseFormat } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'

export interface ProjectedFormat {
  readonly name: string
  readonly schema: Record<string, unknown>
  readonly strict: boolean
  /** Converts output for the converted `schema` to output for the original schema of the request. */
  readonly restore: (json: JsonText) => JsonText
}

export interface ProjectedRequest<Tool> {
  readonly tools: readonly Tool[]
  readonly format: ProjectedFormat | undefined
  restoreArguments(toolName: string, json: JsonText): JsonText
}

export function requestProjector<Tool>(
  project: (spec: AgentToolSpec) => { readonly tool: Tool; readonly strict?: boolean },
  strict: boolean,
  convert: (schema: JsonSchema) => JsonSchema = plainSchema,
): (request: Pick<ModelRequest, 'tools' | 'responseFormat'>) => ProjectedRequest<Tool> {
  const projectTools = memoized((specs: readonly AgentToolSpec[]) => {
    const projections = specs.map((spec) => ({ spec, ...project(spec) }))
    const strictOnes = projections.filter((each) => each.strict === true)
    return {
      tools: projections.map(({ tool }) => tool),
      restorers: new Map(strictOnes.map(({ spec }) => [spec.toolName, argumentRestorer(spec)])),
    }
  })
  const projectFormat = memoized((format: ResponseFormat) => projectedFormat(format, strict, convert))
  return ({ tools: specs, responseFormat }) => {
    const { tools, restorers } = projectTools(specs)
    return {
      tools,
      format: responseFormat && projectFormat(responseFormat),
      restoreArguments: (toolName, json) => restorers.get(toolName)?.(json) ?? json,
    }
  }
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known !== undefined) return known
    const value = make(key)
    values.set(key, value)
    return value
  }
}

/** Field for structured output that is not an object, because APIs accept only objects. */
const FIELD = 'answer'

function projectedFormat(
  { name, schema }: ResponseFormat,
  strict: boolean,
  convert: (schema: JsonSchema) => JsonSchema,
): ProjectedFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const { $defs, definitions, ...rest } = isFields(schema) ? schema : {}
  const wrapped: JsonSchemaObject = {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? rest : schema },
    required: [FIELD],
    additionalProperties: false,
    // References point to definitions at the root.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
  // Servers reject a union of objects at the root but can accept it in a field.
  const candidates = type === 'object' || type === undefined ? [schema, wrapped] : [wrapped]
  for (const candidate of strict ? candidates : []) {
    const projection = strictProjection(candidate).strict
    if (projection === undefined) continue
    const restore = argumentRestorer({ arguments: candidate })
    return {
      name,
      schema: { ...projection.parameters },
      strict: true,
      restore: candidate === wrapped ? (json) => unwrapped(restore(json)) : restore,
    }
  }
  const isObject = type === 'object'
  const plain = convert(isObject ? schema : wrapped)
  return {
    name,
    schema: isFields(plain) ? { ...plain } : {},
    strict: false,
    restore: isObject ? (json) => json : unwrapped,
  }
}

function unwrapped(json: JsonText): JsonText {
  const { value } = { value: undefined, ...parseJson(json) }
  return isFields(value) && Object.hasOwn(value, FIELD) ? JSON.stringify(value[FIELD]) : json
}
