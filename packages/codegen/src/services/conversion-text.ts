import { accessText, flatLiteral, keyText, lineWidth } from '../text.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

type ConversionOf<Kind extends Conversion['kind']> = Conversion & { readonly kind: Kind }

/** The names and types around the expressions of one direction of a tool. */
export interface TextContext {
  /** Returns a new identifier for the function of a recursive conversion of a definition. */
  readonly claimName: (definition: string | undefined) => string
  /** Returns the types of a recursive conversion's function. */
  readonly functionTypes: (types: RecursiveTypes, definition: string | undefined) => { from: string; to: string }
  /** Returns the function that converts an object for several tools; undefined where the object is written in place. */
  readonly sharedFunction: (conversion: ConversionOf<'object'>) => string | undefined
}

const nothing = { null: '=== null', undefined: '=== undefined', both: '== null' } as const

/** A longer choice is broken into several lines. */
const maxChoice = 70

/**
 * Writes conversions as expressions. A `source` must be a name or an access of properties, since it is written several
 * times. Lines after the first are indented relative to the line on which the expression begins.
 */
export class ConversionWriter {
  /** True when an expression calls `convert` of the runtime. */
  usesConvert = false
  readonly #context: TextContext
  /** Functions of conversions that are not written in place, by the name or text of the conversion. */
  readonly #functions = new Map<string, { readonly name: string; readonly text: string }>()

  constructor(context: TextContext) {
    this.#context = context
  }

  /** Returns the texts of the functions that the expressions call, in order of their first use. */
  functions(): readonly string[] {
    return [...this.#functions.values()].map(({ text }) => text)
  }

  /** Adds a function over `value`. */
  addFunction(
    key: string,
    name: string,
    types: { readonly from: string; readonly to: string },
    body: () => string,
  ): void {
    // Added before the body is written: the body may call it.
    this.#functions.set(key, { name, text: '' })
    this.#functions.set(key, { name, text: functionText(name, types, body()) })
  }

  text(conversion: Conversion, source: string): string {
    switch (conversion.kind) {
      case 'pass':
        return source
      case 'cast':
        return `${source} as never`
      case 'null':
        return 'null'
      case 'scalar':
        return this.#call(conversion.name, source)
      case 'object': {
        const shared = this.#context.sharedFunction(conversion)
        return shared === undefined ? this.object(conversion, source) : `${shared}(${source})`
      }
      case 'array':
        return this.#array(conversion, source)
      case 'record':
        return this.#record(conversion, source)
      case 'nullable':
        return `${source} ${nothing[conversion.of]} ? ${source} : ${this.text(conversion.inner, source)}`
      case 'orNull':
        return conversion.inner.kind === 'pass'
          ? `${source} ?? null`
          : `${source} == null ? null : ${this.text(conversion.inner, source)}`
      case 'switch':
        return this.#switch(conversion, source)
      case 'byKind':
        return this.#byKind(conversion, source)
      case 'named':
        return this.#named(conversion, source)
      case 'ref':
        return `${this.#functions.get(conversion.name)?.name ?? conversion.name}(${source})`
    }
  }

  #call(name: string, argument: string): string {
    this.usesConvert = true
    return `convert.${name}(${argument})`
  }

  /** Returns the object literal of a conversion, with further properties at its end. */
  object(
    { fields, rest }: Pick<ConversionOf<'object'>, 'fields' | 'rest'>,
    source: string,
    further: readonly string[] = [],
  ): string {
    const entries = [...fields.map((field) => this.#field(field, source)), ...further]
    return braces(rest ? [`...${source}`, ...entries] : entries)
  }

  #field(field: FieldConversion, source: string): string {
    const key = keyText(field.to)
    const { from, presence, conversion } = field
    if (field.constant !== undefined || from === undefined) return `${key}: ${flatLiteral(field.constant ?? null)}`
    const value = `${source}${accessText(from)}`
    if (presence === 'required') return `${key}: ${this.text(conversion, value)}`
    if (!presence.startsWith('omit')) return `${key}: ${this.maybe(field, source)}`
    const test = presence === 'omit' ? `${value} !== undefined` : `${value} != null`
    const declared = field.partial === true ? `${flatLiteral(from)} in ${source} && ` : ''
    return `...(${declared}${ownTest(source, from)}${test} && ${braces([`${key}: ${this.text(conversion, value)}`])})`
  }

  /** Returns the value of a field that may be missing: then undefined, or an empty array. */
  maybe({ from = '', presence, conversion }: FieldConversion, source: string, missing = 'undefined'): string {
    const value = `${source}${accessText(from)}`
    const own = ownTest(source, from)
    const dropsNull = presence.endsWith('Null')
    if (conversion.kind === 'pass') {
      const bare = dropsNull || missing !== 'undefined' ? `${value} ?? ${missing}` : value
      return own === '' ? bare : `${own}true ? ${bare} : ${missing}`
    }
    const test = dropsNull ? `${value} != null` : `${value} !== undefined`
    return `${own}${test} ? ${this.text(conversion, value)} : ${missing}`
  }

  #array({ items, from, to }: ConversionOf<'array'>, source: string): string {
    const list = from === 'set' ? this.#call('setToArray', source) : source
    const mapped = items.kind === 'pass' ? list : `${list}.map(${this.#mapper(items, source)})`
    if (to === 'set') return this.#call('arrayToSet', mapped)
    return mapped === source ? `[...${source}]` : mapped
  }

  #record({ values, from, to }: ConversionOf<'record'>, source: string): string {
    let record = from === 'map' ? this.#call('mapToRecord', source) : source
    if (values.kind !== 'pass') record = this.#call('mapRecord', `${record}, ${this.#mapper(values, source)}`)
    return to === 'map' ? this.#call('recordToMap', record) : record
  }

  /** Returns `(item) => ...`; an inner item gets another name than the outer one. */
  #mapper(conversion: Conversion, source: string): string {
    const outer = /^item(\d*)\b/.exec(source)
    const item = outer === null ? 'item' : `item${Number(outer[1] || '1') + 1}`
    const text = this.text(conversion, item)
    const isCall = conversion.kind === 'object' || conversion.kind === 'named' || conversion.kind === 'ref'
    if (isCall && text.endsWith(`(${item})`)) return text.slice(0, -item.length - 2)
    return `(${readsName(text, item) ? item : ''}) => ${text.startsWith('{') ? `(${text})` : text}`
  }

  /** A variant that the type does not declare stays the value itself, so that the codec refuses it. */
  #switch({ field, cases, narrows }: ConversionOf<'switch'>, source: string): string {
    const value = `${source}${accessText(field)}`
    const texts = cases.map(({ values, conversion }, index) => {
      const text = continued(this.text(conversion, source))
      if (narrows === 'field' && index === cases.length - 1) return text
      return `${values.map((each) => `${value} === ${flatLiteral(each)}`).join(' || ')}\n  ? ${text}\n  : `
    })
    return narrows === 'field' ? texts.join('') : `${texts.join('')}${source}`
  }

  /** A value of none of the kinds goes to the last case. */
  #byKind({ cases }: ConversionOf<'byKind'>, source: string): string {
    // Array.isArray does not narrow a union with a readonly array.
    const test = (kind: ValueKind): string =>
      kind === 'array' ? this.#call('isArray', source) : `typeof ${source} === ${flatLiteral(kind)}`
    const tested = cases.map(({ kinds, conversion }) => ({
      test: kinds.map(test).join(' || '),
      text: this.text(conversion, source),
    }))
    const last = tested.pop()?.text ?? source
    const flat = `${tested.map((each) => `${each.test} ? ${each.text} : `).join('')}${last}`
    if (flat.length <= maxChoice || (tested.length === 1 && last.startsWith('{'))) return flat
    const lines = tested.map((each) => `${each.test}\n  ? ${continued(each.text)}\n  : `)
    return `${lines.join('')}${continued(last)}`
  }

  #named({ name, definition, body, types }: ConversionOf<'named'>, source: string): string {
    if (!this.#functions.has(name)) {
      const functionTypes = this.#context.functionTypes(types, definition)
      this.addFunction(name, this.#context.claimName(definition), functionTypes, () => this.text(body, 'value'))
    }
    return `${this.#functions.get(name)?.name}(${source})`
  }
}

/** Returns the braces of an object literal: one property per line when there are several. */
function braces(entries: readonly string[]): string {
  const [only] = entries
  if (only === undefined) return '{}'
  if (entries.length === 1 && !only.includes('\n')) return `{ ${only} }`
  return `{\n${entries.map((entry) => `${indented(entry)},\n`).join('')}}`
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function continued(text: string): string {
  return text.replace(/\n/g, '\n  ')
}

/** A key such as `constructor` exists on every object; only an own one counts. */
function ownTest(source: string, key: string): string {
  return key in Object.prototype ? `Object.hasOwn(${source}, ${flatLiteral(key)}) && ` : ''
}

/** Returns a function over `value`; its parameter has a line of its own where the head would be too long. */
function functionText(
  name: string,
  { from, to }: { readonly from: string; readonly to: string },
  body: string,
): string {
  const parameter = readsName(body, 'value') ? 'value' : '_value'
  const flat = `function ${name}(${parameter}: ${from}): ${to} {`
  const head = flat.length <= lineWidth ? flat : `function ${name}(\n  ${parameter}: ${from},\n): ${to} {`
  return `${head}\n${indented(`return ${body}`)}\n}`
}

/** Returns true when an expression of generated code reads a variable; a property of the same name does not count. */
export function readsName(text: string, name: string): boolean {
  const code = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  return new RegExp(`(?:^|\\.\\.\\.|[^.\\w$])${name}(?![\\w$:])`).test(code)
}
