import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeSpec } from './fakes.js'

/** One call of a plan. Strings of the form `$label.field$` in the arguments refer to earlier results. */
export interface PlanStep {
  readonly tool: string
  readonly label: string | undefined
  readonly args: Readonly<Record<string, unknown>>
}

/** A plan of NESTFUL: calls, and the values that answer the question. */
export interface Plan {
  readonly id: string
  readonly source: Source
  readonly question: string
  readonly steps: readonly PlanStep[]
  readonly answer: Readonly<Record<string, unknown>>
}

/** Tools of one specification, by name. */
export type Tools = ReadonlyMap<string, FakeSpec>

const sources = ['executable', 'sgd', 'glaive'] as const
type Source = (typeof sources)[number]

/** Reads the plans and specifications of NESTFUL. */
export function nestful(dataFolder: string): {
  readonly plans: readonly Plan[]
  readonly tools: Record<Source, Tools>
} {
  const read = (name: string): string => readFileSync(join(dataFolder, 'nestful', name), 'utf8')
  const plans = sources.flatMap((source) => {
    const lines = read(`${source}-plans.jsonl`).trim().split('\n')
    return lines.map((line, at) => planOf(source, at, JSON.parse(line)))
  })
  const toolsOf = (source: Source): Tools =>
    new Map((JSON.parse(read(`${source}-spec.json`)) as RawTool[]).map((each) => [each.name, specOf(source, each)]))
  return { plans, tools: { executable: toolsOf('executable'), sgd: toolsOf('sgd'), glaive: toolsOf('glaive') } }
}

interface RawPlan {
  readonly input: string
  readonly output: readonly { name: string; label?: string; arguments: Record<string, unknown> }[]
}

function planOf(source: Source, at: number, { input, output }: RawPlan): Plan {
  const steps = output.filter(({ name }) => name !== 'var_result')
  return {
    id: `${source} ${at + 1}`,
    source,
    question: input,
    steps: steps.map(({ name, label, arguments: args }) => ({ tool: name, label, args })),
    answer: output.find(({ name }) => name === 'var_result')?.arguments ?? {},
  }
}

interface RawField {
  readonly type?: string
  readonly description?: string
  readonly required?: boolean
  readonly default?: unknown
  readonly default_value?: unknown
  readonly enum?: readonly string[]
  readonly allowed_values?: readonly string[] | string
  readonly possible_values?: readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, RawField>>
  readonly items?: RawField
}

type RawFields = Readonly<Record<string, RawField>>

interface RawTool {
  readonly name: string
  readonly description: string
  readonly query_parameters?: RawFields
  readonly path_parameters?: RawFields
  readonly parameters?: RawFields
  readonly arguments?: RawFields
  readonly output_parameters: RawFields
}

function specOf(source: Source, tool: RawTool): FakeSpec {
  const fields = { ...tool.path_parameters, ...tool.query_parameters, ...tool.parameters, ...tool.arguments }
  // Only this source has names of the form `Service.Method`.
  const dot = source === 'sgd' ? tool.name.indexOf('.') : -1
  return {
    toolset: dot < 0 ? source : tool.name.slice(0, dot),
    name: tool.name.slice(dot + 1),
    description: tool.description,
    arguments: {
      ...objectOf(fields),
      required: Object.keys(fields).filter((name) => fields[name]?.required === true),
      additionalProperties: false,
    },
    // Declared result fields are required.
    result: { ...objectOf(tool.output_parameters), required: Object.keys(tool.output_parameters) },
  }
}

interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
}

const objectOf = (fields: RawFields): ObjectSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field)])),
})

/** JSON Schema types for the type names of the three sources. Fields without a type, and files, accept any value. */
const types: Readonly<Record<string, string>> = {
  string: 'string',
  enum: 'string',
  'date (yyyy-mm-dd)': 'string',
  number: 'number',
  float: 'number',
  integer: 'integer',
  boolean: 'boolean',
  object: 'object',
  array: 'array',
}

function schemaOf(field: RawField): object {
  const { description, properties, items } = field
  const type = types[field.type?.toLowerCase() ?? '']
  const allowed = field.enum ?? field.allowed_values ?? field.possible_values
  const given = field.default ?? field.default_value
  const hasDefault = given !== undefined && (type === undefined || type === typeof given)
  return {
    ...(type !== undefined && { type }),
    ...(Array.isArray(allowed) && allowed.length > 0 && { enum: allowed }),
    ...(hasDefault && { default: given }),
    ...(description !== undefined && { description }),
    ...(properties !== undefined && { ...objectOf(properties), required: Object.keys(properties) }),
    ...(items !== undefined && { items: schemaOf(items) }),
  }
}
