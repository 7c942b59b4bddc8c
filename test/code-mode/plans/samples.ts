/** A value that JSON can represent. */
type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** Returns the result of a fake. */
export const resultOf = (id: string, schema: unknown, args: unknown): Json =>
  sampleOf(schema, `${id} ${JSON.stringify(args)}`)

/** Returns a valid value of a schema without references. Different seeds give different texts and numbers. */
function sampleOf(schema: unknown, seed: string): Json {
  if (typeof schema !== 'object' || schema === null) return `any ${hash(seed)}`
  const { type, enum: allowed, properties = {}, items = {} } = schema as SimpleSchema
  if (allowed !== undefined) return allowed[hash(seed) % allowed.length] ?? null
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, sampleOf(field, `${seed}/${name}`)]),
      )
    case 'array':
      return [0, 1].map((at) => sampleOf(items, `${seed}/${at}`))
    case 'number':
    case 'integer':
      return hash(seed) % 1_000
    case 'boolean':
      return hash(seed) % 2 === 0
    default:
      return `text ${hash(seed)}`
  }
}

interface SimpleSchema {
  readonly type?: string
  readonly enum?: readonly Json[]
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
}

function hash(text: string): number {
  let state = 2_166_136_261
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return state >>> 4
}
