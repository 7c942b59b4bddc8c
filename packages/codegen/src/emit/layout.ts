import type { Json, Schema } from '../ir/types.js'
import { isObject } from '../schema/json-schema.js'
import { keyText, lineWidth, literalText } from '../text.js'

export function functionHead(name: string, parameters: readonly string[], returns: string): string {
  const flat = `export function ${name}(${parameters.join(', ')}): ${returns} {`
  if (flat.length <= lineWidth) return flat
  return `export function ${name}(\n${parameters.map((parameter) => `  ${parameter},\n`).join('')}): ${returns} {`
}

export function constantHead(declared: string, firstLine: string): { readonly text: string; readonly indent: number } {
  const start = `export const ${declared} =`
  return start.length + 1 + firstLine.length <= lineWidth
    ? { text: `${start} `, indent: 0 }
    : { text: `${start}\n  `, indent: 2 }
}

export function callText(callee: string, args: readonly string[], indent: number): string {
  const flat = `${callee}(${args.join(', ')})`
  if (indent + flat.length + 1 <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${callee}(\n${args.map((arg) => `${margin}  ${arg},\n`).join('')}${margin})`
}

export function typeMember(name: string, type: string, args: readonly string[], indent: number): string {
  const start = `readonly ${name}:`
  const flat = `${type}<${args.join(', ')}>`
  const margin = ' '.repeat(indent)
  if (indent + start.length + 1 + flat.length <= lineWidth) return `${start} ${flat}`
  if (indent + 2 + flat.length <= lineWidth) return `${start}\n${margin}  ${flat}`
  return `${start} ${type}<\n${args.map((arg) => `${margin}  ${arg}`).join(',\n')}\n${margin}>`
}

export function block(entries: readonly string[], indent: number): string {
  if (entries.length === 0) return '{}'
  const margin = ' '.repeat(indent)
  return `{\n${entries.map((entry) => `${margin}  ${entry},\n`).join('')}${margin}}`
}

export function entry(key: string, value: Json, indent: number, end = ','): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + end.length })}`
}

export function entries(values: Readonly<Record<string, Json | undefined>>, indent: number): readonly string[] {
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [entry(key, value, indent)]))
}

/** TypeScript would infer `string` for the literals of a property with an inherited name such as `constructor`, so the code needs `as const`. */
export function typedEntry(key: string, value: Json, indent: number): string {
  const end = hasInheritedName({ [key]: value }) ? ' as const' : ''
  return `${entry(key, value, indent, `${end},`)}${end}`
}

function hasInheritedName(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasInheritedName)
  return isObject(value) && Object.entries(value).some(([key, part]) => isInheritedName(key) || hasInheritedName(part))
}

/** TypeScript uses the inherited type of a name such as `constructor` if the object does not declare the property. */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}

/** Each keyword and field has its own line, so that a diff shows each changed field as one changed line. */
export function schemaText(schema: Schema, indent: number, shared: readonly string[] = []): string {
  if (!isObject(schema)) return String(schema)
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword !== 'properties' || !isObject(value)) return entry(keyword, value, indent + 2)
    const fields = Object.entries(value).map(([name, field]) => entry(name, field, indent + 4))
    return `properties: ${block(fields, indent + 2)}`
  })
  return block([...entries, ...shared], indent)
}
