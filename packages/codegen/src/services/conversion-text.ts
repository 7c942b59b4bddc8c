import { accessText, flatLiteral, keyText, lineWidth } from '../text.js'
import type { Conversion, FieldConversion, RecursiveTypes, ValueKind } from './plan.js'

/** The type of a function's parameter and of what it makes. */
interface FunctionTypes {
  readonly from: string
  readonly to: string
}

/** A function of the generated file. */
export interface ConversionFunction {
  readonly name: string
  readonly text: string
}

/** Collects what the expressions of one direction need beside themselves. */
export interface TextScope {
  /** The values used of the runtime. */
  readonly helpers: Set<string>
  /** Functions of recursive conversions, by the name in the plan. */
  readonly functions: Map<string, ConversionFunction>
  /** A new identifier for the function of a recursive conversion of a definition. */
  readonly claimName: (definition: string | undefined) => string
  /** The types of a recursive conversion's function. */
  readonly functionTypes: (types: RecursiveTypes & { readonly definition: string | undefined }) => FunctionTypes
  /** The function that converts an object for several tools; undefined where the object is written in place. */
  readonly sharedFunction: (conversion: Conversion) => string | undefined
}

/**
 * The expression that converts `source`. `source` must be a name or an access of properties, since it is written
 * several times. Lines after the first are indented relative to the line on which the expression begins.
 */
export function conversionText(conversion: Conversion, source: string, scope: TextScope): string {
  switch (conversion.kind) {
    case 'pass':
      return source
    case 'cast':
      return `${source} as never`
    case 'null':
      return 'null'
    case 'scalar':
      return call(conversion.name, source, scope)
    case 'object': {
      const shared = scope.sharedFunction(conversion)
      return shared === undefined ? objectText(conversion, source, scope) : `${shared}(${source})`
    }
    case 'array':
      return arrayText(conversion, source, scope)
    case 'record':
      return recordText(conversion, source, scope)
    case 'nullable':
      return `${source} ${nothing[conversion.of]} ? ${source} : ${conversionText(conversion.inner, source, scope)}`
    case 'orNull': {
      const { inner } = conversion
      return inner.kind === 'pass'
        ? `${source} ?? null`
        : `${source} == null ? null : ${conversionText(inner, source, scope)}`
    }
    case 'switch':
      return switchText(conversion, source, scope)
    case 'byKind':
      return byKindText(conversion, source, scope)
    case 'named':
      return namedText(conversion, source, scope)
    case 'ref':
      return `${scope.functions.get(conversion.name)?.name ?? conversion.name}(${source})`
  }
}

const nothing = { null: '=== null', undefined: '=== undefined', both: '== null' } as const

function call(name: string, argument: string, { helpers }: TextScope): string {
  helpers.add('convert')
  return `convert.${name}(${argument})`
}

/** The object literal that a conversion makes, with further properties at its end. */
export function objectText(
  { fields, rest }: Pick<Conversion & { kind: 'object' }, 'fields' | 'rest'>,
  source: string,
  scope: TextScope,
  further: readonly string[] = [],
): string {
  const entries = [...fields.map((field) => fieldText(field, source, scope)), ...further]
  return braces(rest ? [`...${source}`, ...entries] : entries)
}

/** The braces of an object literal: one property per line when there are several. */
function braces(entries: readonly string[]): string {
  const [only] = entries
  if (only === undefined) return '{}'
  if (entries.length === 1 && !only.includes('\n')) return `{ ${only} }`
  return `{\n${entries.map((entry) => `${indented(entry)},\n`).join('')}}`
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ')
}

function fieldText(field: FieldConversion, source: string, scope: TextScope): string {
  const key = keyText(field.to)
  if (field.constant !== undefined || field.from === undefined) return `${key}: ${flatLiteral(field.constant ?? null)}`
  const value = `${source}${accessText(field.from)}`
  switch (field.presence) {
    case 'required':
      return `${key}: ${conversionText(field.conversion, value, scope)}`
    case 'omit':
    case 'omitNull': {
      const test = field.presence === 'omit' ? `${value} !== undefined` : `${value} != null`
      const inner = braces([`${key}: ${conversionText(field.conversion, value, scope)}`])
      const declared = field.partial === true ? `${flatLiteral(field.from)} in ${source} && ` : ''
      return `...(${declared}${ownTest(source, field.from)}${test} && ${inner})`
    }
    default:
      return `${key}: ${maybeText(field, source, scope)}`
  }
}

/** A field's value where it may be missing: undefined then, or an empty list. */
export function maybeText(
  field: FieldConversion,
  source: string,
  scope: TextScope,
  missing: 'undefined' | '[]' = 'undefined',
): string {
  const from = field.from ?? ''
  const value = `${source}${accessText(from)}`
  const own = ownTest(source, from)
  const dropsNull = field.presence === 'undefinedNull' || field.presence === 'omitNull'
  const { conversion } = field
  if (conversion.kind === 'pass') {
    const bare = dropsNull || missing === '[]' ? `${value} ?? ${missing}` : value
    return own === '' ? bare : `${own}true ? ${bare} : ${missing}`
  }
  const test = dropsNull ? `${value} != null` : `${value} !== undefined`
  return `${own}${test} ? ${conversionText(conversion, value, scope)} : ${missing}`
}

/** A key such as `constructor` is found on every object; only an own one counts. */
function ownTest(source: string, key: string): string {
  return key in Object.prototype ? `Object.hasOwn(${source}, ${flatLiteral(key)}) && ` : ''
}

function arrayText(conversion: Conversion & { kind: 'array' }, source: string, scope: TextScope): string {
  const list = conversion.from === 'set' ? call('setToArray', source, scope) : source
  const items = conversion.items.kind === 'pass' ? undefined : mapper(conversion.items, source, scope)
  if (conversion.to === 'set') return call('arrayToSet', items === undefined ? list : `${list}.map(${items})`, scope)
  if (items !== undefined) return `${list}.map(${items})`
  return conversion.from === 'set' ? list : `[...${list}]`
}

function recordText(conversion: Conversion & { kind: 'record' }, source: string, scope: TextScope): string {
  let record = conversion.from === 'map' ? call('mapToRecord', source, scope) : source
  if (conversion.values.kind !== 'pass') {
    record = call('mapRecord', `${record}, ${mapper(conversion.values, source, scope)}`, scope)
  }
  return conversion.to === 'map' ? call('recordToMap', record, scope) : record
}

/** `(item) => ...`; an inner item gets another name than the outer one. */
function mapper(conversion: Conversion, source: string, scope: TextScope): string {
  const outer = /^item(\d*)\b/.exec(source)
  const item = outer === null ? 'item' : `item${Number(outer[1] || '1') + 1}`
  const text = conversionText(conversion, item, scope)
  const isCall = conversion.kind === 'object' || conversion.kind === 'named' || conversion.kind === 'ref'
  if (isCall && text.endsWith(`(${item})`)) return text.slice(0, -item.length - 2)
  return `(${readsName(text, item) ? item : ''}) => ${text.startsWith('{') ? `(${text})` : text}`
}

/** The value itself is left for a variant nobody declared, so that the codec refuses it. */
function switchText(conversion: Conversion & { kind: 'switch' }, source: string, scope: TextScope): string {
  const field = `${source}${accessText(conversion.field)}`
  const isLast = (index: number): boolean => conversion.narrows === 'field' && index === conversion.cases.length - 1
  const cases = conversion.cases.map(({ values, conversion: inner }, index) => {
    if (isLast(index)) return continued(conversionText(inner, source, scope))
    const test = values.map((value) => `${field} === ${flatLiteral(value)}`).join(' || ')
    return `${test}\n  ? ${continued(conversionText(inner, source, scope))}\n  : `
  })
  return conversion.narrows === 'field' ? cases.join('') : `${cases.join('')}${source}`
}

/** Returns the text that converts by kind. Values of other kinds go to the last case. */
function byKindText(conversion: Conversion & { kind: 'byKind' }, source: string, scope: TextScope): string {
  const cases = conversion.cases.map(({ kinds, conversion: inner }) => ({
    test: kinds.map((kind) => kindTest(kind, source, scope)).join(' || '),
    text: conversionText(inner, source, scope),
  }))
  const last = cases.pop()?.text ?? source
  const flat = `${cases.map(({ test, text }) => `${test} ? ${text} : `).join('')}${last}`
  if (flat.length <= longestChoice || (cases.length === 1 && last.startsWith('{'))) return flat
  const lines = cases.map(({ test, text }) => `${test}\n  ? ${continued(text)}\n  : `)
  return `${lines.join('')}${continued(last)}`
}

/** A longer choice stands on several lines. */
const longestChoice = 70

function kindTest(kind: ValueKind, source: string, scope: TextScope): string {
  // Array.isArray does not narrow a union with a readonly array.
  return kind === 'array' ? call('isArray', source, scope) : `typeof ${source} === ${flatLiteral(kind)}`
}

function continued(text: string): string {
  return text.replace(/\n/g, '\n  ')
}

function namedText(conversion: Conversion & { kind: 'named' }, source: string, scope: TextScope): string {
  const known = scope.functions.get(conversion.name)
  const name = known?.name ?? scope.claimName(conversion.definition)
  if (known === undefined) {
    // Taken before the body is written: the body calls it.
    scope.functions.set(conversion.name, { name, text: '' })
    const body = conversionText(conversion.body, 'value', scope)
    const types = scope.functionTypes({ ...conversion.types, definition: conversion.definition })
    scope.functions.set(conversion.name, { name, text: functionText(name, types, body) })
  }
  return `${name}(${source})`
}

/** A function over `value`; its parameter stands on a line of its own where the head would be too long. */
export function functionText(name: string, { from, to }: FunctionTypes, body: string): string {
  const parameter = readsName(body, 'value') ? 'value' : '_value'
  const flat = `function ${name}(${parameter}: ${from}): ${to} {`
  const head = flat.length <= lineWidth ? flat : `function ${name}(\n  ${parameter}: ${from},\n): ${to} {`
  return `${head}\n${indented(`return ${body}`)}\n}`
}

/** True when an expression of generated code reads a variable; a property of the same name is none. */
export function readsName(text: string, name: string): boolean {
  const code = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  return new RegExp(`(?:^|\\.\\.\\.|[^.\\w$])${name}(?![\\w$:])`).test(code)
}
