import type { Json, Schema } from '../ir/types.js'
import { isObject } from '../schema/json/json.js'
import { keyText, literalText } from '../text/literal.js'

/**
 * A schema as an object literal: its keywords and its fields one a line, so that a changed field is a changed line;
 * below that, lines are broken only where they are too long.
 *
 * @param indent how far the line is indented on which the schema begins, in columns
 * @param shared further entries at the end, e.g. `$defs`, as code
 */
export function schemaText(schema: Schema, indent: number, shared: readonly string[] = []): string {
  if (!isObject(schema)) return String(schema)
  const entries = Object.entries(schema).map(([keyword, value]) =>
    keyword === 'properties' && isObject(value)
      ? propertiesText(value, indent + 2)
      : entryText(keyword, value, indent + 2),
  )
  return block([...entries, ...shared], indent)
}

function propertiesText(properties: { readonly [name: string]: Json }, indent: number): string {
  const fields = Object.entries(properties).map(([name, field]) => entryText(name, field, indent + 2))
  return `properties: ${block(fields, indent)}`
}

function entryText(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}

/** An object literal with one entry per line. */
export function block(entries: readonly string[], indent: number): string {
  if (entries.length === 0) return '{}'
  const margin = ' '.repeat(indent)
  return `{\n${entries.map((entry) => `${margin}  ${entry},\n`).join('')}${margin}}`
}
