import { Ajv } from 'ajv'
import type { FakeSpec } from './fakes.js'
import { codeOf, type Program, type ProgramCall, type ProgramField, statementOf } from './plan-program.js'

/** A program with one mistake. */
export interface Mutant {
  readonly kind: MutationKind
  readonly code: string
}

export type MutationKind = (typeof mutationKinds)[number] | typeof uncaughtKind

export const mutationKinds = [
  'misspelled tool',
  'computed tool name',
  'misspelled argument',
  'extra argument',
  'extra argument in a variable',
  'missing argument',
  'wrong type',
  'wrong enum value',
  'misspelled result field',
  'result field of another tool',
  'result instead of its field',
  'undefined variable',
  'use before definition',
  'missing await, field read',
  'missing await, result returned',
  'dropped await, statement',
  'dropped await, unused variable',
  'dropped await, text',
  'dropped await, callback',
  'dropped await, number of promises',
  'any cast',
  '@ts- comment',
  'untyped value of JSON.parse',
] as const

/** A mistake that types cannot detect, because both fields have the same type. */
export const uncaughtKind = 'other result field of the same type'

/** Returns programs with one mistake each, of all kinds that the program allows. The seed selects the misspellings. */
export function mutantsOf(program: Program, tools: ReadonlyMap<string, FakeSpec>, seed: number): readonly Mutant[] {
  return new Mutations(program, tools, seed).all()
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly required?: readonly string[]
}

interface FieldSchema extends ObjectSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
}

const ajv = new Ajv({ strict: false, validateFormats: false })

class Mutations {
  readonly #program: Program
  readonly #tools: ReadonlyMap<string, FakeSpec>
  readonly #found: Mutant[] = []
  #state: number

  constructor(program: Program, tools: ReadonlyMap<string, FakeSpec>, seed: number) {
    this.#program = program
    this.#tools = tools
    this.#state = seed
  }

  all(): readonly Mutant[] {
    for (const [at, call] of this.#program.calls.entries()) {
      const spec = this.#tools.get(call.tool)
      if (spec === undefined) continue
      this.#toolName(at, call)
      this.#arguments(at, call, spec.arguments as FieldSchema)
      this.#awaits(at, call)
      this.#escapes(at, call)
      this.#results(call, spec.result as FieldSchema)
    }
    return this.#found
  }

  #toolName(at: number, call: ProgramCall): void {
    const [namespace = '', name = ''] = call.path.split('.')
    const names = [...this.#tools.values()].map((each) => each.name)
    this.#changed('misspelled tool', at, { path: `${namespace}.${this.#misspelled(name, names)}` })
    const split = Math.max(1, name.length - 2)
    const computed = `${namespace}["${name.slice(0, split)}" + String("${name.slice(split)}")]`
    this.#changed('computed tool name', at, { path: computed })
  }

  #arguments(at: number, call: ProgramCall, schema: FieldSchema): void {
    const { properties = {}, required = [] } = schema
    const { args } = call
    this.#changed('extra argument', at, { args: [...args, { name: 'extraArgument', text: '1' }] })
    const statement = statementOf(call)
    const [, before = '', fields = ''] = /^(.*?)\(\{(.*)\}\)$/s.exec(statement) ?? []
    const inVariable = `const args${at} = {${fields}, extraArgument: 1 }\n${before}(args${at})`
    if (fields !== '')
      this.#add(
        'extra argument in a variable',
        codeOf(this.#program).replace(statement, () => inVariable),
      )
    for (const [index, { name, text }] of args.entries()) {
      const field = properties[name]
      if (field === undefined) continue
      const others = args.toSpliced(index, 1)
      const replaced = (changed: Partial<ProgramField>) => ({ args: args.with(index, { name, text, ...changed }) })
      const wrong = this.#misspelled(name, Object.keys(properties))
      this.#changed('misspelled argument', at, replaced({ name: wrong }))
      if (required.includes(name)) this.#changed('missing argument', at, { args: others })
      for (const value of ['text', 5, true, ['text'], { some: 'field' }]
        .filter((each) => !isValid(field, each))
        .slice(0, 2)) {
        this.#changed('wrong type', at, replaced({ text: JSON.stringify(value) }))
      }
      const [first] = field.enum ?? []
      if (typeof first === 'string') {
        const value = this.#misspelled(first, field.enum ?? [])
        this.#changed('wrong enum value', at, replaced({ text: JSON.stringify(value) }))
      }
      const [label, key] = text.split('.')
      if (key !== undefined && /^var\d+$/.test(label ?? '') && !isValid(field, { some: 'field' })) {
        this.#changed('result instead of its field', at, replaced({ text: label ?? '' }))
      }
      if (/^var\d+\b/.test(text)) {
        this.#changed('undefined variable', at, replaced({ text: text.replace(/^var\d+/, 'var99') }))
      }
    }
    const source = this.#program.calls.findLastIndex(({ label }, other) => other < at && this.#uses(call, label))
    if (source >= 0) {
      const moved = this.#program.calls.toSpliced(at, 1).toSpliced(source, 0, call)
      this.#add('use before definition', codeOf({ ...this.#program, calls: moved }))
    }
  }

  #awaits(at: number, call: ProgramCall): void {
    const { calls, answer } = this.#program
    const { label } = call
    const code = codeOf(this.#program)
    const statement = statementOf(call)
    const dropped = code.replace(statement, () => statement.replace('await ', ''))
    const isRead = [...calls.flatMap(({ args }) => args), ...answer].some(({ text }) => text.startsWith(`${label}.`))
    const isReturned = answer.some(({ text }) => text === label)
    if (isRead) this.#add('missing await, field read', dropped)
    else if (isReturned) this.#add('missing await, result returned', dropped)
    const again = statementOf({ ...call, label: undefined }).replace('await ', '')
    const inserted = (text: string) => code.replace(statement, () => `${statement}\n${text}`)
    this.#add('dropped await, statement', inserted(again))
    this.#add('dropped await, unused variable', inserted(`const unused${at} = ${again}`))
    this.#add('dropped await, text', inserted(`console.log(\`result: \${${again}}\`)`))
    this.#add('dropped await, callback', inserted(`;[1].forEach(async () => { await ${again} })`))
    const count = `const promises${at} = [1].map(() => ${again})\nconsole.log(promises${at}.length)`
    this.#add('dropped await, number of promises', inserted(count))
  }

  #escapes(at: number, call: ProgramCall): void {
    const code = codeOf(this.#program)
    const statement = statementOf(call)
    const wrong = statementOf({ ...call, args: [...call.args, { name: 'extraArgument', text: '1' }] })
    const replaced = (text: string) => code.replace(statement, () => text)
    this.#add('any cast', replaced(wrong.replace(/\)$/, ' as any)')))
    const comment = ['// @ts-ignore', '// @ts-expect-error', '/* @ts-ignore */'][this.#next(3)]
    this.#add('@ts- comment', replaced(`${comment}\n${wrong}`))
    const args = `JSON.parse(${JSON.stringify('{"extraArgument":1}')})`
    this.#add('untyped value of JSON.parse', replaced(statement.replace(/\(.*\)$/s, () => `(${args})`)))
    void at
  }

  #results({ label }: ProgramCall, result: FieldSchema): void {
    const { properties } = result
    if (label === undefined || properties === undefined) return
    const names = Object.keys(properties)
    const code = codeOf(this.#program)
    const others = this.#program.calls
      .flatMap(({ tool }) => Object.keys((this.#tools.get(tool)?.result as FieldSchema | undefined)?.properties ?? {}))
      .filter((name) => !names.includes(name) && /^\w+$/.test(name))
    for (const { 0: text, 1: name = '', index } of code.matchAll(new RegExp(`\\b${label}\\.(\\w+)`, 'g'))) {
      const replaced = (other: string) => `${code.slice(0, index)}${label}.${other}${code.slice(index + text.length)}`
      this.#add('misspelled result field', replaced(this.#misspelled(name, names)))
      const other = others[this.#next(others.length)]
      if (other !== undefined) this.#add('result field of another tool', replaced(other))
      const same = names.filter(
        (each) => each !== name && /^\w+$/.test(each) && properties[each]?.type === properties[name]?.type,
      )
      const sibling = same[this.#next(same.length)]
      if (sibling !== undefined) this.#add(uncaughtKind, replaced(sibling))
    }
  }

  #uses({ args }: ProgramCall, label: string | undefined): boolean {
    return label !== undefined && args.some(({ text }) => new RegExp(`\\b${label}\\b`).test(text))
  }

  #changed(kind: MutationKind, at: number, change: Partial<ProgramCall>): void {
    const { calls } = this.#program
    const call = calls[at]
    if (call !== undefined) this.#add(kind, codeOf({ ...this.#program, calls: calls.with(at, { ...call, ...change }) }))
  }

  #add(kind: MutationKind, code: string): void {
    if (code !== codeOf(this.#program)) this.#found.push({ kind, code })
  }

  /** Returns a misspelled name that differs from all other names. */
  #misspelled(name: string, others: readonly unknown[]): string {
    const at = 1 + this.#next(Math.max(1, name.length - 1))
    const letter = String.fromCharCode(97 + this.#next(26))
    const spellings = [
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + letter + name.slice(at),
      name.slice(0, at) + letter + name.slice(at + 1),
      `${name}s`,
      `${name}_x`,
    ]
    const start = this.#next(3)
    const free = (each: string) => each.length > 0 && each !== name && !others.includes(each)
    return [...spellings.slice(start), ...spellings].find(free) ?? `${name}_x`
  }

  /** Returns the next number of a seeded sequence, below `limit`. */
  #next(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return limit === 0 ? 0 : (this.#state >>> 8) % limit
  }
}

/** Checks a value against the schema of an argument. Schemas with references accept every value. */
function isValid(schema: FieldSchema, value: unknown): boolean {
  return JSON.stringify(schema).includes('$ref') || ajv.validate({ ...schema }, value)
}
