import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Plan, PlanStep, Tools } from './nestful.js'
import { planText, type Reference } from './references.js'

/** A contradiction between a plan and its specification, or a fact that the specification does not state. */
export interface PlanProblem {
  /** `silent`: the specification does not state whether the plan is correct. */
  readonly verdict: 'contradicts' | 'silent'
  readonly kind: string
  /** Name of the tool, label, argument or field with the problem. */
  readonly name: string
  readonly text: string
}

/**
 * Compares a plan with its specification without the program checker. Ajv validates the arguments of each call. Sample values of the declared results
 * replace references.
 */
export class PlanJudge {
  readonly #tools: Tools
  readonly #ajv = addFormats.default(new Ajv({ strict: false, allErrors: true }))
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(tools: Tools) {
    this.#tools = tools
  }

  /** Returns the problems of a plan. A plan without problems agrees with its specification. */
  problems(plan: Plan): readonly PlanProblem[] {
    const labels = new Map<string, string>()
    const found: PlanProblem[] = []
    for (const step of plan.steps) {
      found.push(...this.#step(step, labels))
      if (step.label === undefined) continue
      if (labels.has(step.label)) found.push(contradiction('label', step.label, `label ${step.label} defined twice`))
      labels.set(step.label, step.tool)
    }
    for (const reference of referencesIn(plan.answer)) found.push(...this.#source(reference, labels).problems)
    return found
  }

  #step({ tool, args }: PlanStep, labels: ReadonlyMap<string, string>): readonly PlanProblem[] {
    const spec = this.#tools.get(tool)
    if (spec === undefined) return [contradiction('unknown tool', tool, `tool ${tool} not in the specification`)]
    const schema = spec.arguments as unknown as ObjectSchema
    const found: PlanProblem[] = []
    for (const name of schema.required.filter((each) => !Object.hasOwn(args, each))) {
      found.push(contradiction('missing argument', name, `required argument ${name} of ${tool} missing`))
    }
    for (const [name, value] of Object.entries(args)) {
      const field = schema.properties[name]
      if (field === undefined) {
        found.push(contradiction('unknown argument', name, `argument ${name} not in the specification of ${tool}`))
        continue
      }
      const sources = referencesIn(value).map((reference) => this.#source(reference, labels))
      const problems = sources.flatMap((source) => source.problems)
      found.push(...problems)
      if (problems.length === 0) found.push(...this.#argument(tool, name, field, value, labels))
    }
    return found
  }

  #argument(
    tool: string,
    name: string,
    field: object,
    value: unknown,
    labels: ReadonlyMap<string, string>,
  ): readonly PlanProblem[] {
    const validate = this.#validator(tool, name, field)
    const samples = this.#samples(value, labels, allowedIn(field))
    const accepted = samples.filter((sample) => validate(sample))
    if (accepted.length === samples.length) return []
    const shown = JSON.stringify(value)
    const kind = allowedIn(field).length > 0 ? 'value' : 'type'
    if (accepted.length === 0) {
      return [contradiction(kind, name, `argument ${name} of ${tool} must be ${typeIn(field)}, the plan has ${shown}`)]
    }
    const text = `argument ${name} of ${tool} must be ${typeIn(field)}; the type of ${shown} is wider, or not declared`
    return [{ verdict: 'silent', kind: 'undeclared type', name, text }]
  }

  #validator(tool: string, name: string, field: object): ValidateFunction {
    const key = JSON.stringify([tool, name])
    const validate = this.#validators.get(key) ?? this.#ajv.compile(field)
    this.#validators.set(key, validate)
    return validate
  }

  /** Returns possible values of the argument, from the declared results of earlier calls. */
  #samples(value: unknown, labels: ReadonlyMap<string, string>, texts: readonly unknown[]): readonly unknown[] {
    if (Array.isArray(value)) return combined(value.map((each) => this.#samples(each, labels, texts)))
    if (typeof value === 'object' && value !== null) {
      const names = Object.keys(value)
      const fields = Object.values(value).map((field) => this.#samples(field, labels, texts))
      return combined(fields).map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
    }
    if (typeof value !== 'string') return [value]
    const parsed = planText(value)
    if (parsed.kind === 'literal') return [value]
    if (parsed.kind === 'reference') return samplesOf(this.#source(parsed.reference, labels).schema, texts)
    if (parsed.kind === 'text') return ['some text']
    const operands = parsed.parts.filter((part) => typeof part === 'object')
    const areNumbers = operands.every((part) => {
      const { type } = this.#source(part, labels).schema as SimpleSchema
      return type === 'number' || type === 'integer'
    })
    // No schema accepts `undefined`. Calculations are possible only with numbers.
    return areNumbers ? [1, 1.5] : [undefined]
  }

  /** Returns the schema of the result field that a reference names. */
  #source(
    { label, path }: Reference,
    labels: ReadonlyMap<string, string>,
  ): { readonly schema: object; readonly problems: readonly PlanProblem[] } {
    const tool = labels.get(label)
    if (tool === undefined)
      return { schema: {}, problems: [contradiction('label', label, `label ${label} not defined before its use`)] }
    // The call of an unknown tool is reported separately.
    let schema = (this.#tools.get(tool)?.result ?? {}) as SimpleSchema
    for (const key of path) {
      const next = typeof key === 'number' ? schema.items : schema.properties?.[key]
      const isOpen = schema.properties === undefined && schema.items === undefined
      if (next === undefined && !(isOpen && (schema.type === undefined || typeof key === 'number'))) {
        const name = typeof key === 'string' ? key : label
        return { schema: {}, problems: [contradiction('unknown field', name, `result of ${tool} has no field ${key}`)] }
      }
      schema = next ?? {}
    }
    return { schema, problems: [] }
  }
}

const contradiction = (kind: string, name: string, text: string): PlanProblem => ({
  verdict: 'contradicts',
  kind,
  name,
  text,
})

interface ObjectSchema {
  readonly properties: Readonly<Record<string, object>>
  readonly required: readonly string[]
}

interface SimpleSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SimpleSchema>>
  readonly items?: SimpleSchema
}

const allowedIn = (schema: object): readonly unknown[] => (schema as SimpleSchema).enum ?? []

function typeIn(schema: object): string {
  const { type, enum: allowed, items } = schema as SimpleSchema
  if (allowed !== undefined) return `one of ${allowed.join(', ')}`
  return type === 'array' && items?.type !== undefined ? `${type} of ${items.type}` : (type ?? 'any value')
}

function referencesIn(value: unknown): readonly Reference[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(referencesIn)
  if (typeof value !== 'string') return []
  const parsed = planText(value)
  if (parsed.kind === 'literal') return []
  if (parsed.kind === 'reference') return [parsed.reference]
  return parsed.parts.filter((part) => typeof part === 'object')
}

const anything = ['some text', 1, true, null, { some: 'field' }]

/** Returns values that cover the variants of a schema. `texts` are strings that another schema allows. */
function samplesOf(schema: SimpleSchema, texts: readonly unknown[]): readonly unknown[] {
  if (schema.enum !== undefined) return schema.enum
  switch (schema.type) {
    case 'string':
      return ['some text', ...texts]
    case 'number':
    case 'integer':
      return [1]
    case 'boolean':
      return [true, false]
    case 'array':
      return samplesOf(schema.items ?? {}, texts).map((item) => [item])
    case 'object': {
      const names = Object.keys(schema.properties ?? {})
      const fields = Object.values(schema.properties ?? {}).map((field) => samplesOf(field, texts).slice(0, 1))
      return combined(fields).map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
    }
    default:
      return [...anything, ...texts, ['some text'], [1]]
  }
}

/** Returns all combinations of one sample per position. */
const combined = (columns: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] =>
  columns.reduce<readonly (readonly unknown[])[]>(
    (rows, column) => rows.flatMap((row) => column.map((value) => [...row, value])),
    [[]],
  )
