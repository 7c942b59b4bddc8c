import { compilePattern, UnsupportedPatternError } from '@toolgen/runtime/schema'
import { isObject, isSchema, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'

export function schemasAt(schema: SchemaObject, keyword: string): readonly Schema[] | undefined {
  const value = own(schema, keyword)
  return Array.isArray(value) && value.every(isSchema) ? value : undefined
}

export function schemaAt(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return isSchema(value) ? value : undefined
}

export function schemasOf(plain: readonly SchemaObject[], keyword: string): readonly Schema[] {
  return plain.map((schema) => schemaAt(schema, keyword)).filter((schema) => schema !== undefined)
}

export function schemaMap(schema: SchemaObject, keyword: string): readonly (readonly [string, Schema])[] {
  const value = own(schema, keyword)
  return Object.entries(isObject(value) ? value : {}).filter((entry): entry is [string, Schema] => isSchema(entry[1]))
}

export function schemaOf(schema: SchemaObject, keyword: string, name: string): Schema | undefined {
  const value = own(schema, keyword)
  return isObject(value) ? schemaAt(value, name) : undefined
}

export function numbersOf(plain: readonly SchemaObject[], keyword: string): readonly number[] {
  return plain.map((schema) => own(schema, keyword)).filter((value) => typeof value === 'number')
}

export function textsOf(plain: readonly SchemaObject[], keyword: string): readonly string[] {
  return plain.map((schema) => own(schema, keyword)).filter((value) => typeof value === 'string')
}

export function namesOf(plain: readonly SchemaObject[], keyword: string): readonly string[] {
  return plain.flatMap((schema) => stringsOf(schema, keyword))
}

export function fieldPatterns(plain: readonly SchemaObject[]): readonly string[] {
  return plain.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([pattern]) => pattern))
}

export function schemasOfField(plain: readonly SchemaObject[], name: string): readonly Schema[] {
  return plain.flatMap((schema) => {
    const declared = schemaOf(schema, 'properties', name)
    const matched = schemaMap(schema, 'patternProperties').filter(([pattern]) => matches(pattern, name))
    const found = [...(declared === undefined ? [] : [declared]), ...matched.map(([, part]) => part)]
    return found.length > 0 ? found : schemasOf([schema], 'additionalProperties')
  })
}

export function schemasOfOthers(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => {
    const other = schemaAt(schema, 'additionalProperties') ?? false
    const matched = schemaMap(schema, 'patternProperties').map(([, part]) => part)
    return other === false ? matched : [...matched, other]
  })
}

export function schemasOfItem(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain
    .map((schema) => (schemasAt(schema, 'prefixItems') ?? [])[index] ?? schemaAt(schema, 'items'))
    .filter((schema) => schema !== undefined)
}

export function declaresFields(schema: SchemaObject): boolean {
  return isObject(own(schema, 'properties')) || isObject(own(schema, 'patternProperties'))
}

export function knownNames(schema: SchemaObject): readonly string[] {
  return [...schemaMap(schema, 'properties').map(([name]) => name), ...stringsOf(schema, 'required')]
}

export function conditionalParts(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [
    ...['if', 'then', 'else'].flatMap((keyword) => schemasOf([schema], keyword)),
    ...schemaMap(schema, 'dependentSchemas').map(([, part]) => part),
  ])
}

const compiledPatterns = new Map<string, ReturnType<typeof compilePattern> | undefined>()

export function matches(pattern: string, text: string): boolean {
  return triedMatch(pattern, text) ?? true
}

export function triedMatch(pattern: string, text: string): boolean | undefined {
  if (!compiledPatterns.has(pattern)) compiledPatterns.set(pattern, compiled(pattern))
  return compiledPatterns.get(pattern)?.test(text)
}

function compiled(pattern: string): ReturnType<typeof compilePattern> | undefined {
  try {
    return compilePattern(pattern)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsupportedPatternError) return undefined
    throw error
  }
}
