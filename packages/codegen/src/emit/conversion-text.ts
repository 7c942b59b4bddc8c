import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from '../services/plan.js'
import { accessText, flatLiteral, keyText, lineWidth } from '../text.js'
import type { GeneratedFile } from './generated-file.js'
import { type SharedConversion, sharedConversions, typePathText } from './type-paths.js'

export type DefinitionType = (definition: string, form: 'sent' | 'read') => string

type ConversionOf<Kind extends Conversion['kind']> = Conversion & { readonly kind: Kind }

interface FunctionTypes {
  readonly from: string
  readonly to: string
}

/** A conversion gets a function if its type is recursive, or if several tools contain the conversion. */
export class ModuleFunctions {
  readonly file: Pick<GeneratedFile, 'value' | 'type'>
  readonly typeOf: DefinitionType
  readonly #shared: ReadonlyMap<string, SharedConversion>
  readonly #texts = new Map<string, string>()
  readonly #written = new Map<string, string>()

  constructor(
    file: Pick<GeneratedFile, 'value' | 'type'>,
    typeOf: DefinitionType,
    roots: readonly (readonly [conversion: Conversion, from: string])[],
  ) {
    this.file = file
    this.typeOf = typeOf
    this.#shared = sharedConversions(roots)
  }

  texts(): readonly string[] {
    return [...this.#texts.values()]
  }

  add(start: 'from' | 'to', type: string, types: FunctionTypes, body: (name: string) => string): string {
    const name = `${start}${type.slice(type.lastIndexOf('.') + 1)}`
    let free = name
    for (let number = 2; this.#texts.has(free); number++) free = `${name}${number}`
    // Added before the body is generated, because the body can call it.
    this.#texts.set(free, '')
    this.#texts.set(free, functionText(free, types, body(free)))
    return free
  }

  shared(conversion: ConversionOf<'object'>, writer: ConversionWriter): string | undefined {
    const key = JSON.stringify(conversion)
    const shared = this.#shared.get(key)
    if (shared === undefined) return undefined
    const written = this.#written.get(key)
    if (written !== undefined) return written
    const { base, path, isGuarded } = shared.from
    const to = this.typeOf(shared.definition, 'sent')
    return this.add('to', to, { from: isGuarded ? typePathText(base, path) : base, to }, (name) => {
      this.#written.set(key, name)
      return writer.object(conversion, 'value')
    })
  }
}

interface WriterContext {
  readonly start: 'from' | 'to'
  readonly stem: string
  readonly functionTypes: (types: RecursiveTypes, definition: string | undefined) => FunctionTypes
  readonly shares: boolean
}

const nothing = { null: '=== null', undefined: '=== undefined', both: '== null' } as const

const maxChoice = 70

/**
 * `source` must be a name or a property access, because generated code repeats `source`. The indentation of later lines is relative to the first line
 * of the expression.
 */
export class ConversionWriter {
  readonly #functions: ModuleFunctions
  readonly #context: WriterContext
  readonly #recursive = new Map<string, string>()

  constructor(functions: ModuleFunctions, context: WriterContext) {
    this.#functions = functions
    this.#context = context
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
        const shared = this.#context.shares ? this.#functions.shared(conversion, this) : undefined
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
        return `${this.#recursive.get(conversion.name) ?? this.#recursiveFunction(conversion)}(${source})`
      case 'ref':
        return `${this.#recursive.get(conversion.name)}(${source})`
    }
  }

  #call(name: string, argument: string): string {
    return `${this.#functions.file.value('convert')}.${name}(${argument})`
  }

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

  #mapper(conversion: Conversion, source: string): string {
    const outer = /^item(\d*)\b/.exec(source)
    const item = outer === null ? 'item' : `item${Number(outer[1] || '1') + 1}`
    const text = this.text(conversion, item)
    const isCall = conversion.kind === 'object' || conversion.kind === 'named' || conversion.kind === 'ref'
    if (isCall && text.endsWith(`(${item})`)) return text.slice(0, -item.length - 2)
    return `(${readsName(text, item) ? item : ''}) => ${text.startsWith('{') ? `(${text})` : text}`
  }

  #switch({ field, cases, narrows }: ConversionOf<'switch'>, source: string): string {
    const value = `${source}${accessText(field)}`
    const texts = cases.map(({ values, conversion }, index) => {
      const text = continued(this.text(conversion, source))
      if (narrows === 'field' && index === cases.length - 1) return text
      return `${values.map((each) => `${value} === ${flatLiteral(each)}`).join(' || ')}\n  ? ${text}\n  : `
    })
    // A value of the field without a case leaves the object unchanged, and the codec then rejects the object.
    return narrows === 'field' ? texts.join('') : `${texts.join('')}${source}`
  }

  #byKind({ cases }: ConversionOf<'byKind'>, source: string): string {
    // `Array.isArray` does not narrow a union with a readonly array.
    const test = (kind: ValueKind): string =>
      kind === 'array' ? this.#call('isArray', source) : `typeof ${source} === ${flatLiteral(kind)}`
    const tested = cases.map(({ kinds, conversion }, index) => ({
      test: index === cases.length - 1 ? '' : kinds.map(test).join(' || '),
      text: this.text(conversion, source),
    }))
    const last = tested.pop()?.text ?? source
    const flat = `${tested.map((each) => `${each.test} ? ${each.text} : `).join('')}${last}`
    if (flat.length <= maxChoice || (tested.length === 1 && last.startsWith('{'))) return flat
    const lines = tested.map((each) => `${each.test}\n  ? ${continued(each.text)}\n  : `)
    return `${lines.join('')}${continued(last)}`
  }

  #recursiveFunction({ name, definition, body, types }: ConversionOf<'named'>): string {
    const { start, stem, functionTypes } = this.#context
    const type = definition === undefined ? `${stem}Part` : this.#functions.typeOf(definition, 'sent')
    return this.#functions.add(start, type, functionTypes(types, definition), (made) => {
      this.#recursive.set(name, made)
      return this.text(body, 'value')
    })
  }
}

function braces(entries: readonly string[]): string {
  const [only] = entries
  if (only === undefined) return '{}'
  if (entries.length === 1 && !only.includes('\n')) return `{ ${only} }`
  return `{\n${entries.map((entry) => `${indented(entry)},\n`).join('')}}`
}

export function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function continued(text: string): string {
  return text.replace(/\n/g, '\n  ')
}

/** Every object inherits keys such as `constructor`, so the generated code must test for an own property. */
function ownTest(source: string, key: string): string {
  return key in Object.prototype ? `Object.hasOwn(${source}, ${flatLiteral(key)}) && ` : ''
}

function functionText(name: string, { from, to }: FunctionTypes, body: string): string {
  const parameter = readsName(body, 'value') ? 'value' : '_value'
  const flat = `function ${name}(${parameter}: ${from}): ${to} {`
  const head = flat.length <= lineWidth ? flat : `function ${name}(\n  ${parameter}: ${from},\n): ${to} {`
  return `${head}\n${indented(`return ${body}`)}\n}`
}

export function readsName(text: string, name: string): boolean {
  const code = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  return new RegExp(`(?:^|\\.\\.\\.|[^.\\w$])${name}(?![\\w$:])`).test(code)
}
