/** Keywords that OpenAI documents for strict mode, independent of the code of the projection. */
const ALLOWED = new Map<string, readonly string[]>([
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'minItems', 'maxItems']],
  ['string', ['pattern', 'format', 'enum', 'const']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const']],
  ['integer', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const']],
  ['boolean', ['enum', 'const']],
  ['null', ['enum', 'const']],
])
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const SAID = ['title', 'description']

type Schema = Readonly<Record<string, unknown>>

/** Returns the violations of strict mode in the parameters of a tool, with their locations. */
export function strictFaults(root: Schema): string[] {
  const faults: string[] = []
  const definitions = isSchema(root.$defs) ? root.$defs : {}
  if (root.type !== 'object') faults.push('the root is no object')
  if (Object.hasOwn(root, 'anyOf')) faults.push('the root is a union')
  const { $defs: _, ...bare } = root
  visit(bare, '')
  for (const [name, schema] of Object.entries(definitions)) visit(schema, `/$defs/${name}`)
  return faults

  function visit(schema: unknown, place: string): void {
    if (!isSchema(schema)) {
      faults.push(`${place} is no object schema`)
      return
    }
    const keywords = Object.keys(schema)
    if (Object.hasOwn(schema, '$ref')) {
      if (keywords.length > 1) faults.push(`${place} has something beside $ref`)
      const name = String(schema.$ref).replace('#/$defs/', '')
      if (!Object.hasOwn(definitions, name)) faults.push(`${place} refers to nothing`)
      return
    }
    if (Array.isArray(schema.anyOf)) {
      const others = keywords.filter((keyword) => keyword !== 'anyOf' && !SAID.includes(keyword))
      if (others.length > 0) faults.push(`${place} has ${others} beside anyOf`)
      for (const [at, variant] of schema.anyOf.entries()) visit(variant, `${place}/anyOf/${at}`)
      return
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type]
    const allowed = types.flatMap((type) => ALLOWED.get(String(type)) ?? [`no type ${type}`])
    if (types.length === 0 || allowed.some((keyword) => keyword.startsWith('no type')))
      faults.push(`${place} has no type`)
    for (const keyword of keywords) {
      if (keyword === 'type' || SAID.includes(keyword) || allowed.includes(keyword)) continue
      faults.push(`${place} has ${keyword}`)
    }
    if (Object.hasOwn(schema, 'format') && !FORMATS.includes(String(schema.format))) faults.push(`${place} format`)
    if (/\(\?<?[=!]/.test(String(schema.pattern ?? ''))) faults.push(`${place} looks around`)
    if (types.includes('array')) visit(schema.items, `${place}/items`)
    if (!types.includes('object')) return
    const properties = isSchema(schema.properties) ? schema.properties : {}
    const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : []
    if (schema.additionalProperties !== false) faults.push(`${place} is open`)
    if (required.length !== Object.keys(properties).length)
      faults.push(`${place} has other required fields than fields`)
    for (const [name, field] of Object.entries(properties)) {
      if (!required.includes(name)) faults.push(`${place} does not require ${name}`)
      visit(field, `${place}/properties/${name}`)
    }
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
