import type { Plan, Tools } from './nestful.js'
import { planText, type Reference } from './references.js'

/** Returns the name of a tool in programs. */
export type PathOf = (tool: string) => string

/** Translates a plan to a program: one statement per call, in the order of the plan. */
export function programOf({ steps, answer }: Plan, pathOf: PathOf): string {
  const program = new ProgramText(pathOf)
  for (const { tool, label, args } of steps) program.call(tool, label, args)
  return program.returning(answer)
}

/** Returns the names of tools in programs. A tool that the specification lacks has the name that a model would write. */
export function pathsOf(tools: Tools): PathOf {
  const paths = new Map(
    [...tools].map(([name, spec]) => [name, `${identifier(spec.toolset)}.${identifier(spec.name)}`]),
  )
  const [first] = tools.values()
  return (tool) => paths.get(tool) ?? `${identifier(first?.toolset ?? '')}.${identifier(tool)}`
}

const identifier = (name: string): string => name.replaceAll(/\W+/g, '_')

class ProgramText {
  readonly #pathOf: PathOf
  readonly #lines: string[] = []
  #items = 0

  constructor(pathOf: PathOf) {
    this.#pathOf = pathOf
  }

  call(tool: string, label: string | undefined, args: Readonly<Record<string, unknown>>): void {
    const call = `await ${this.#pathOf(tool)}(${Object.keys(args).length === 0 ? '' : this.#value(args)})`
    this.#lines.push(label === undefined ? call : `const ${label} = ${call}`)
  }

  returning(answer: Readonly<Record<string, unknown>>): string {
    const value = this.#value(answer)
    return [...this.#lines, `return ${value}`].join('\n')
  }

  #value(value: unknown): string {
    if (typeof value === 'string') return this.#text(value)
    if (Array.isArray(value)) return `[${value.map((each) => this.#value(each)).join(', ')}]`
    if (typeof value !== 'object' || value === null) return JSON.stringify(value)
    const fields = Object.entries(value).map(([name, field]) => {
      const text = this.#value(field)
      const key = keyOf(name)
      return key === text ? key : `${key}: ${text}`
    })
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }

  #text(text: string): string {
    const parsed = planText(text)
    switch (parsed.kind) {
      case 'literal':
        return JSON.stringify(text)
      case 'reference':
        return this.#reference(parsed.reference)
      case 'calculation':
        return parsed.parts.map((part) => (typeof part === 'string' ? part : this.#reference(part))).join('')
      case 'text':
        return `\`${parsed.parts.map((part) => (typeof part === 'string' ? part : `\${${this.#reference(part)}}`)).join('')}\``
    }
  }

  /** An item of an array can be missing: the program checks it first. */
  #reference({ label, path }: Reference): string {
    let text = label
    for (const key of path) {
      if (typeof key === 'string') {
        text += /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
        continue
      }
      this.#items += 1
      const item = `item${this.#items}`
      this.#lines.push(`const ${item} = ${text}[${key}]`)
      this.#lines.push(`if (${item} === undefined) throw new Error("${text} is too short")`)
      text = item
    }
    return text
  }
}

const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
