import type { Json, Schema } from '../ir/types.js'
import { isObject } from '../schema/json-schema.js'
import { keyText, lineWidth, literalText } from '../text.js'

/** Returns the head of a function up to its brace, on one line if it fits, otherwise one parameter per line. */
export function functionHead(name: string, parameters: readonly string[], returns: string): string {
  const flat = `export function ${name}(${parameters.join(', ')}): ${returns} {`
  if (flat.length <= lineWidth) return flat
  return `export function ${name}(\n${parameters.map((parameter) => `  ${parameter},\n`).join('')}): ${returns} {`
}

/**
 * Returns the declaration of a constant up to its value. If the first line of the value does not fit on the same line, the value begins on
 * the next line, indented by two columns.
 */
export function constantHead(declared: string, firstLine: string): { readonly text: string; readonly indent: number } {
  const start = `export const ${declared} =`
  return start.length + 1 + firstLine.length <= lineWidth
    ? { text: `${start} `, indent: 0 }
    : { text: `${start}\n  `, indent: 2 }
}

/** Returns a call, on one line if it fits, otherwise one argument per line. */
export function callText(callee: string, args: readonly string[], indent: number): string {
  const flat = `${callee}(${args.join(', ')})`
  if (indent + flat.length + 1 <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${callee}(\n${args.map((arg) => `${margin}  ${arg},\n`).join('')}${margin})`
}

/**
 * Returns a readonly property with a generic type: on one line, with the type on the next line, or one type argument per line.
 *
 * @param name name as written, with `?` if optional
 */
export function typeMember(name: string, type: string, args: readonly string[], indent: number): string {
  const start = `readonly ${name}:`
  const flat = `${type}<${args.join(', ')}>`
  const margin = ' '.repeat(indent)
  if (indent + start.length + 1 + flat.length <= lineWidth) return `${start} ${flat}`
  if (indent + 2 + flat.length <= lineWidth) return `${start}\n${margin}  ${flat}`
  return `${start} ${type}<\n${args.map((arg) => `${margin}  ${arg}`).join(',\n')}\n${margin}>`
}

/** Returns an object literal with one entry per line. */
export function block(entries: readonly string[], indent: number): string {
  if (entries.length === 0) return '{}'
  const margin = ' '.repeat(indent)
  return `{\n${entries.map((entry) => `${margin}  ${entry},\n`).join('')}${margin}}`
}

/**
 * Returns a property of an object literal as code. `indent` is the indentation of the property in columns, and `end` the text after the
 * property.
 */
export function entry(key: string, value: Json, indent: number, end = ','): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + end.length })}`
}

/** Returns the properties of an object literal as code, without those that are `undefined`. */
export function entries(values: Readonly<Record<string, Json | undefined>>, indent: number): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [entry(key, value, indent)]))
}

/**
 * Returns a property of an object literal, as code whose literals keep their types. A property whose name every object inherits, such as
 * `constructor`, gets `as const`, because the compiler would otherwise widen its literals to `string`.
 */
export function typedEntry(key: string, value: Json, indent: number): string {
  const end = hasInheritedName({ [key]: value }) ? ' as const' : ''
  return `${entry(key, value, indent, `${end},`)}${end}`
}

function hasInheritedName(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasInheritedName)
  return isObject(value) && Object.entries(value).some(([key, part]) => isInheritedName(key) || hasInheritedName(part))
}

/**
 * Checks for a name that every object inherits, such as `constructor`. If an object does not declare such a property, TypeScript uses the
 * inherited type.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}

/**
 * Returns a schema as an object literal with one keyword or field per line, so that a changed field is a changed line. Nested objects are
 * split into lines only if they are too long.
 *
 * @param indent indentation of the line on which the schema begins, in columns
 * @param shared additional entries at the end, e.g. `$defs`, as code
 */
export function schemaText(schema: Schema, indent: number, shared: readonly string[] = []): string {
  if (!isObject(schema)) return String(schema)
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword !== 'properties' || !isObject(value)) return entry(keyword, value, indent + 2)
    const fields = Object.entries(value).map(([name, field]) => entry(name, field, indent + 4))
    return `properties: ${block(fields, indent + 2)}`
  })
  return block([...entries, ...shared], indent)
}
