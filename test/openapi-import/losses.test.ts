import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'

/** What an import tells of a text: code, message and line of each finding. */
async function told(text: string, file = 'api.json') {
  const { diagnostics } = await importOpenApi('api', { text, file, shown: `\`${file}\`` })
  return diagnostics.map(({ code, severity, message, location }) => ({ code, severity, message, line: location?.line }))
}

const head = `  "openapi": "3.1.0",
  "servers": [{ "url": "https://example.com" }],`

describe('duplicate keys in JSON are reported, and the last one counts,', () => {
  const operation = (id: string) => `{ "operationId": "${id}", "summary": "One." }`

  it('with the line of the one that counts', async () => {
    const text = `{
${head}
  "paths": {
    "/a": {
      "get": ${operation('one')},
      "get": ${operation('two')}
    },
    "/a\\u0062": { "get": ${operation('three')} },
    "/ab": { "get": ${operation('four')} }
  }
}`
    expect(await told(text)).toEqual([
      {
        code: 'TG6211',
        severity: 'warning',
        message: 'Duplicate key `get` at /paths/~1a. The last one is used.',
        line: 7,
      },
      {
        code: 'TG6211',
        severity: 'warning',
        message: 'Duplicate key `/ab` at /paths. The last one is used.',
        line: 10,
      },
    ])
  })

  it('at the root too, and once however often they stand there', async () => {
    const text = `{
${head}
  "paths": {},
  "paths": {},
  "paths": { "/a": { "get": ${operation('"one'.replace('"', '\\"'))} } }
}`
    expect(await told(text)).toMatchObject([
      { code: 'TG6211', message: 'Duplicate key `paths` at the root. The last one is used.', line: 6 },
    ])
  })

  it('but not those of what is not imported, nor equal keys of different objects', async () => {
    const text = `{
${head}
  "x-a": { "b": "\\"c\\": ", "b": "\\\\" },
  "paths": { "/a": { "get": ${operation('one')}, "put": ${operation('two')} } }
}`
    expect(await told(text)).toEqual([])
  })
})

describe('integers that JavaScript rounds are reported at the import,', () => {
  const rounded = (at: string, written: string, read: string) => ({
    code: 'TG6210',
    severity: 'warning',
    message: `The integer \`${written}\` at ${at} is read as \`${read}\`: JavaScript cannot represent it exactly.`,
  })
  const schema = '/paths/~1a/get/parameters/0/schema'
  const parts = `"type": "integer", "format": "int64",
        "minimum": -9223372036854775808,
        "maximum": 9223372036854775807,
        "default": 9007199254740993,
        "example": 900719925474099267,
        "enum": [1, 9007199254740991, 9007199254740992, 9007199254740995]`

  it('in JSON, with their places', async () => {
    const text = `{
${head}
  "paths": { "/a": { "get": { "operationId": "one", "summary": "One.",
      "x-id": 9007199254740993,
      "parameters": [{ "name": "id", "in": "query", "schema": {
        ${parts}
      } }] } } }
}`
    expect(await told(text)).toEqual([
      { ...rounded(`${schema}/maximum`, '9223372036854775807', '9223372036854776000'), line: 9 },
      { ...rounded(`${schema}/default`, '9007199254740993', '9007199254740992'), line: 10 },
      { ...rounded(`${schema}/example`, '900719925474099267', '900719925474099300'), line: 11 },
      { ...rounded(`${schema}/enum/3`, '9007199254740995', '9007199254740996'), line: 12 },
    ])
  })

  it('in YAML, with their places', async () => {
    const text = `openapi: 3.1.0
servers: [{ url: 'https://example.com' }]
x-limits: &limits
  maximum: 9223372036854775807
paths:
  /a:
    get:
      operationId: one
      summary: One.
      parameters:
        - name: id
          in: query
          schema: { type: integer, enum: [1, 9007199254740993, 0x20000000000001, 18446744073709551616] }
`
    expect(await told(text, 'api.yaml')).toEqual([
      { ...rounded(`${schema}/enum/1`, '9007199254740993', '9007199254740992'), line: 13 },
      { ...rounded(`${schema}/enum/2`, '0x20000000000001', '9007199254740992'), line: 13 },
    ])
  })
})
