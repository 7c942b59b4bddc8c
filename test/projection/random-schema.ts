import fc from 'fast-check'

type Schema = Record<string, unknown>
type Fields = readonly { readonly name: string; readonly schema: Schema; readonly isRequired: boolean }[]

/** Patterns with a matching text. */
export const patterns: ReadonlyMap<string, string> = new Map([
  ['^[a-z]+$', 'abc'],
  ['^\\d{3}$', '123'],
  ['^(?=a)a+$', 'aa'],
])
/** Formats with a valid text. */
export const formatTexts: ReadonlyMap<string, string> = new Map([
  ['date-time', '2025-01-31T12:00:00Z'],
  ['date', '2025-01-31'],
  ['email', 'name@example.com'],
  ['uuid', '123e4567-e89b-42d3-a456-426614174000'],
  ['ipv4', '192.0.2.1'],
  ['uri', 'https://example.com/'],
])
const names = ['a', 'b', 'c', 'kind', '__proto__', 'constructor', 'x-js', 'default', 'a/b~c']

function maybe(key: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> {
  const made = value.map((one): Schema => ({ [key]: one }))
  return fc.oneof({ weight: 6, arbitrary: fc.constant<Schema>({}) }, { weight: 1, arbitrary: made })
}

function all(...parts: readonly fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> {
  return fc.tuple(...parts).map((made) => Object.assign({}, ...made))
}

const said = all(maybe('description', fc.constantFrom('What it is', 'A field.')), maybe('title', fc.constant('Title')))

const text = all(
  fc.constant({ type: 'string' }),
  fc.oneof(
    all(maybe('minLength', fc.integer({ min: 1, max: 3 })), maybe('maxLength', fc.integer({ min: 3, max: 5 }))),
    fc.constantFrom(...patterns.keys()).map((pattern): Schema => ({ pattern })),
    fc
      .constantFrom(...formatTexts.keys())
      .map((format): Schema => ({ format, ...(format === 'date-time' && { 'x-js': 'Date' }) })),
  ),
  said,
)
const number = all(
  fc.constantFrom<Schema>({ type: 'integer' }, { type: 'number' }),
  maybe('minimum', fc.integer({ min: -5, max: 2 })),
  maybe('exclusiveMaximum', fc.integer({ min: 5, max: 20 })),
  maybe('multipleOf', fc.constantFrom(1, 2)),
)
const literal = fc.oneof(
  fc.constantFrom<Schema>({ enum: ['x', 'y'] }, { type: 'string', enum: ['x', 'y', 'z'] }, { enum: ['x', null, 3] }),
  fc.constantFrom<Schema>({ const: 'x' }, { const: 7 }, { type: 'boolean', const: true }, { const: null }),
)
const nullable = fc.constantFrom<Schema>(
  { type: ['string', 'null'] },
  { type: ['integer', 'boolean'] },
  { type: 'null' },
)
const leaf = fc.oneof(text, number, literal, nullable, fc.constant<Schema>({ type: 'boolean', default: true }))
const reference = fc
  .tuple(fc.constantFrom('Node', 'Shape', 'Maybe'), said)
  .map(([name, notes]): Schema => ({ $ref: `#/$defs/${name}`, ...notes }))

function objectOf(fields: Fields, extra: Schema): Schema {
  const required = fields.filter((field) => field.isRequired).map((field) => field.name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, field.schema])),
    ...(required.length > 0 && { required }),
    ...extra,
  }
}

function fieldsOf(schema: fc.Arbitrary<Schema>, from: readonly string[]): fc.Arbitrary<Fields> {
  const field = fc.record({ name: fc.constantFrom(...from), schema, isRequired: fc.boolean() })
  return fc.uniqueArray(field, { maxLength: 4, selector: ({ name }) => name })
}

function objects(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const extra = all(
    maybe('additionalProperties', fc.constant(false)),
    maybe('minProperties', fc.constant(1)),
    maybe('dependentRequired', fc.constant({ a: ['b'] })),
    maybe('not', fc.constant({ required: ['a', 'c'] })),
    said,
  )
  const plain = fc.tuple(fieldsOf(schema, names), extra).map(([fields, others]) => objectOf(fields, others))
  const joined = fc
    .tuple(fieldsOf(schema, ['a', 'b']), fieldsOf(schema, ['c', 'kind']))
    .map(([first, second]): Schema => ({ allOf: [objectOf(first, {}), objectOf(second, {})] }))
  const oneOfTwo = fc.tuple(schema, schema).map(
    ([a, b]): Schema => ({
      ...objectOf(
        [
          { name: 'a', schema: a, isRequired: false },
          { name: 'b', schema: b, isRequired: false },
        ],
        {},
      ),
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    }),
  )
  return fc.oneof({ weight: 6, arbitrary: plain }, { weight: 1, arbitrary: joined }, { weight: 1, arbitrary: oneOfTwo })
}

function unions(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const keyword = fc.constantFrom('anyOf', 'oneOf')
  const tagged = fc.tuple(keyword, fieldsOf(schema, ['a', 'b']), fieldsOf(schema, ['a', 'c']), said).map(
    ([name, first, second, notes]): Schema => ({
      [name]: [first, second].map((fields, at) =>
        objectOf([{ name: 'kind', schema: { const: `kind${at}` }, isRequired: true }, ...fields], {}),
      ),
      ...notes,
    }),
  )
  const loose = fc
    .tuple(keyword, fc.array(schema, { minLength: 1, maxLength: 3 }), said)
    .map(([name, variants, notes]): Schema => ({ [name]: variants, ...notes }))
  const besides = fc.tuple(schema, fieldsOf(schema, ['b', 'c']), fieldsOf(schema, ['b', 'c'])).map(
    ([a, first, second]): Schema => ({
      ...objectOf([{ name: 'a', schema: a, isRequired: false }], {}),
      anyOf: [objectOf(first, {}), objectOf(second, {})],
    }),
  )
  return fc.oneof(tagged, loose, besides)
}

function arrays(schema: fc.Arbitrary<Schema>): fc.Arbitrary<Schema> {
  const list = all(
    schema.map((items): Schema => ({ type: 'array', items })),
    maybe('minItems', fc.constant(1)),
    maybe('maxItems', fc.constant(3)),
    maybe('uniqueItems', fc.constant(true)),
  )
  const tuple = fc
    .tuple(schema, schema)
    .map(([first, second]): Schema => ({ type: 'array', prefixItems: [first, second], items: false, minItems: 2 }))
  return fc.oneof({ weight: 4, arbitrary: list }, { weight: 1, arbitrary: tuple })
}

function schemas(depth: number): fc.Arbitrary<Schema> {
  if (depth === 0) return fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: reference })
  const inner = schemas(depth - 1)
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 3, arbitrary: objects(inner) },
    { weight: 2, arbitrary: unions(inner) },
    { weight: 2, arbitrary: arrays(inner) },
    { weight: 1, arbitrary: reference },
  )
}

/** Object schemas for arguments, with recursive definitions. */
export const argumentSchemas: fc.Arbitrary<Schema> = fc
  .tuple(objects(schemas(2)), leaf, leaf)
  .map(([root, value, other]) => ({
    ...root,
    $defs: {
      Node: objectOf(
        [
          { name: 'value', schema: value, isRequired: true },
          { name: 'next', schema: { $ref: '#/$defs/Node' }, isRequired: false },
          { name: 'children', schema: { type: 'array', items: { $ref: '#/$defs/Node' } }, isRequired: false },
        ],
        {},
      ),
      Shape: {
        oneOf: [
          objectOf(
            [
              { name: 'kind', schema: { const: 'circle' }, isRequired: true },
              { name: 'r', schema: other, isRequired: false },
            ],
            {},
          ),
          objectOf(
            [
              { name: 'kind', schema: { const: 'group' }, isRequired: true },
              { name: 'of', schema: { type: 'array', items: { $ref: '#/$defs/Shape' } }, isRequired: false },
            ],
            {},
          ),
        ],
      },
      Maybe: { anyOf: [{ $ref: '#/$defs/Shape' }, { type: 'null' }] },
    },
  }))
