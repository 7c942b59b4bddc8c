import type { Plan, Tools } from './nestful.js'
import { planText, type Reference } from './references.js'

/** Returns the name of a tool in programs. */
export type PathOf = (tool: string) => string

/** A field of an object literal. */
export interface ProgramField {
  readonly name: string
  /** The value as an expression. */
  readonly text: string
}

/** A call of a program, as one statement. */
export interface ProgramCall {
  readonly label: string | undefined
  readonly tool: string
  readonly path: string
  /** Statements before the call. */
  readonly before: readonly string[]
  readonly args: readonly ProgramField[]
}

/** A program: calls in their order, and the fields of the returned object. */
export interface Program {
  readonly calls: readonly ProgramCall[]
  readonly before: readonly string[]
  readonly answer: readonly ProgramField[]
}

/** Translates a plan to a program: one statement per call, in the order of the plan. */
export function programOf({ steps, answer }: Plan, pathOf: PathOf): Program {
  const items = new Map<string, string>()
  const calls = steps.map(({ tool, label, args }): ProgramCall => {
    const values = new ValueTexts(items)
    const fields = values.fields(args)
    return { label, tool, path: pathOf(tool), before: values.before, args: fields }
  })
  const values = new ValueTexts(items)
  const fields = values.fields(answer)
  return { calls, before: values.before, answer: fields }
}

/** Returns the source of a program. */
export const codeOf = ({ calls, before, answer }: Program): string =>
  [...calls.flatMap((call) => [...call.before, statementOf(call)]), ...before, `return ${objectOf(answer)}`].join('\n')

/** Returns the statement of a call. */
export function statementOf({ label, path, args }: ProgramCall): string {
  const call = `await ${path}(${args.length === 0 ? '' : objectOf(args)})`
  return label === undefined ? call : `const ${label} = ${call}`
}

function objectOf(fields: readonly ProgramField[]): string {
  const texts = fields.map(({ name, text }) => (name === text ? text : `${keyOf(name)}: ${text}`))
  return texts.length === 0 ? '{}' : `{ ${texts.join(', ')} }`
}

/** Returns a function from tools to their names in programs. Unknown tools get the name that a model would write. */
export function pathsOf(tools: Tools): PathOf {
  const paths = new Map(
    [...tools].map(([name, spec]) => [name, `${identifier(spec.toolset)}.${identifier(spec.name)}`]),
  )
  const [first] = tools.values()
  return (tool) => paths.get(tool) ?? `${identifier(first?.toolset ?? '')}.${identifier(tool)}`
}

const identifier = (name: string): string => name.replaceAll(/\W+/g, '_')

/** Converts values of plans to expressions. */
class ValueTexts {
  /** Statements that the expressions need. */
  readonly before: string[] = []
  /** Variables of array items, by the expression of the item. */
  readonly #items: Map<string, string>

  constructor(items: Map<string, string>) {
    this.#items = items
  }

  fields(values: Readonly<Record<string, unknown>>): readonly ProgramField[] {
    return Object.entries(values).map(([name, value]) => ({ name, text: this.#value(value) }))
  }

  #value(value: unknown): string {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return `[${value.map((each) => this.#value(each)).join(', ')}]`
    return typeof value === 'object' && value !== null ? objectOf(this.fields({ ...value })) : JSON.stringify(value)
  }

  #text(text: string): string {
    const parsed = planText(text)
    if (parsed.kind === 'literal') return JSON.stringify(text)
    if (parsed.kind === 'reference') return this.#reference(parsed.reference)
    const isText = parsed.kind === 'text'
    const parts = parsed.parts.map((part) => {
      if (typeof part === 'string') return part
      return isText ? `\${${this.#reference(part)}}` : this.#reference(part)
    })
    return isText ? `\`${parts.join('')}\`` : parts.join('')
  }

  /** An array item can be missing, so the program checks it first. */
  #reference({ label, path }: Reference): string {
    let text = label
    for (const key of path) {
      const own = typeof key === 'string' ? keyOf(key) : `${key}`
      const next = own === key ? `${text}.${own}` : `${text}[${own}]`
      text = typeof key === 'string' ? next : this.#item(next)
    }
    return text
  }

  #item(expression: string): string {
    const known = this.#items.get(expression)
    if (known !== undefined) return known
    const item = `item${this.#items.size + 1}`
    this.#items.set(expression, item)
    this.before.push(`const ${item} = ${expression}`)
    this.before.push(`if (${item} === undefined) throw new Error("${expression} is missing")`)
    return item
  }
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
