import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { toolsetText } from './documents.fixture.js'

async function imported(document: object) {
  const text = JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://example.com' }], ...document }, null, 1)
  const { files, tools, diagnostics } = await importOpenApi('api', { text, file: 'api.json', shown: '`api.json`' })
  const lines = text.split('\n')
  const told = diagnostics.map(({ code, severity, message, next, location }) => ({
    ...{ code, severity, message, next },
    at: lines[(location?.line ?? 0) - 1]?.trim(),
  }))
  return { tools, told, snapshot: files[0]?.text ?? '', module: toolsetText({ files }) }
}

const operation = (operationId: string, more: object = {}) => ({ operationId, summary: 'One.', ...more })
const Pet = { type: 'object', properties: { name: { type: 'string' } } }

describe('methods that no request has', () => {
  it('are reported at their operations, which are left out', async () => {
    const { tools, told } = await imported({
      openapi: '3.2.0',
      paths: {
        '/a': {
          get: operation('one'),
          trace: operation('two'),
          query: operation('three'),
          additionalOperations: { LINK: operation('four') },
        },
      },
    })
    expect(tools).toBe(1)
    const leftOut = (method: string, at: string) => ({
      code: 'TG6202',
      severity: 'warning',
      message: `\`${method} /a\` is not imported: toolgen does not support this method.`,
      next: 'Correct the document and import again, or declare the tool by hand in another toolset.',
      at,
    })
    expect(told).toEqual([leftOut('TRACE', '"trace": {'), leftOut('QUERY', '"query": {'), leftOut('LINK', '"LINK": {')])
  })
})

describe('XML', () => {
  const xml = (schema?: object) => ({ content: { 'application/xml': { ...(schema !== undefined && { schema }) } } })

  it('is text, with a finding that its schema is ignored, for a body and a response', async () => {
    const { tools, told, module } = await imported({
      paths: {
        '/a': {
          post: operation('one', {
            requestBody: xml({ $ref: '#/components/schemas/Pet' }),
            responses: { 200: xml(Pet) },
          }),
        },
      },
      components: { schemas: { Pet } },
    })
    expect(tools).toBe(1)
    expect(told).toEqual([
      {
        code: 'TG6212',
        severity: 'warning',
        message:
          'The body of `POST /a` has the media type `application/xml`. It is sent as a plain string, and its schema is not used.',
        next: 'Describe the string in the `description` of the body, or change the body to JSON, and import again.',
        at: '"requestBody": {',
      },
      {
        code: 'TG6212',
        severity: 'note',
        message:
          'A response of `POST /a` is `application/xml`, which is imported as a plain string. Its schema is not used.',
        next: 'If models can read the string, do nothing. Otherwise add a JSON response to the operation and import again.',
        at: '"200": {',
      },
    ])
    expect(module).toContain("body: { type: 'application/xml', as: 'text', field: 'body' }")
  })

  it.each([
    ['a text', { type: 'string' }],
    ['anything', undefined],
    ['anything that is said to be so', {}],
  ])('is not told where it is %s', async (_, schema) => {
    const { told } = await imported({
      paths: { '/a': { post: operation('one', { requestBody: xml(schema), responses: { 200: xml(schema) } }) } },
    })
    expect(told).toEqual([])
  })

  it('is not reported if there is also JSON, which is used', async () => {
    const both = { content: { ...xml(Pet).content, 'application/json': { schema: Pet } } }
    const { told } = await imported({
      paths: { '/a': { post: operation('one', { requestBody: both, responses: { 200: both } }) } },
    })
    expect(told).toEqual([])
  })
})

describe('ways to prove who asks', () => {
  const securitySchemes = {
    dg: { type: 'http', scheme: 'digest' },
    tls: { type: 'mutualTLS' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  }
  const documentOf = (...security: object[][]) => ({
    security: [{ dg: [] }],
    paths: Object.fromEntries(
      [undefined, ...security].map((said, index) => [
        `/${index}`,
        { get: operation(`o${index}`, said === undefined ? {} : { security: said }) },
      ]),
    ),
    components: { securitySchemes },
  })

  it('that no request can send are reported once, with the operations that have no other', async () => {
    const { tools, told } = await imported(
      documentOf([{ key: [], tls: [] }], [{ dg: [] }, { gone: [] }], [{ dg: [] }, { key: [] }], [{ dg: [] }, {}], []),
    )
    expect(tools).toBe(6)
    const finding = (about: string, at: unknown) => ({
      code: 'TG6213',
      severity: 'warning',
      message: `toolgen does not support the security scheme ${about} called without credentials.`,
      next: 'Set `headers`, or a `fetch` that adds credentials, when you register the toolset.',
      at,
    })
    expect(told).toEqual([
      finding('`dg`, which is `http digest`: `GET /0`, `GET /2` are', '"dg": {'),
      finding('`tls`, which is `mutualTLS`: `GET /1` is', '"tls": {'),
      finding('`gone`, which the document does not declare: `GET /2` is', '"securitySchemes": {'),
    ])
  })

  it('that many operations have are reported with the first of them', async () => {
    const { told } = await imported(documentOf(...Array.from({ length: 6 }, () => [{ dg: [] }])))
    expect(told).toMatchObject([
      {
        message: expect.stringContaining(
          'toolgen does not support the security scheme `dg`, which is `http digest`: `GET /0`, `GET /1`, `GET /2`, `GET /3`, `GET /4` and 2 more are called without credentials.',
        ),
      },
    ])
  })
})

describe('a reference to an anchor', () => {
  const bodyOf = (schema: object) => ({ content: { 'application/json': { schema } } })
  const paths = (ref: string) => ({
    '/a': { post: operation('one', { requestBody: bodyOf({ $ref: ref }), responses: { 200: bodyOf({ $ref: ref }) } }) },
    '/b': { get: operation('two') },
  })

  it('leads to the schema that has it', async () => {
    const schemas = {
      Pet: {
        $anchor: 'pet',
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, next: { $ref: '#pet' } },
      },
      Other: Pet,
    }
    const { tools, told, module, snapshot } = await imported({ paths: paths('#pet'), components: { schemas } })
    expect([tools, told]).toEqual([2, []])
    expect(module).toContain("next: { $ref: '#/$defs/Pet' }")
    expect(module).not.toContain('anchor')
    expect(snapshot).not.toContain('Other')
  })

  it.each([
    ['nobody has', { A: Pet }],
    ['several have', { A: { $anchor: 'pet', ...Pet }, B: { $anchor: 'pet', ...Pet } }],
    ['is an example of one', { A: { ...Pet, default: { $anchor: 'pet' } } }],
  ])('that %s leads nowhere', async (_, schemas) => {
    const { tools, told } = await imported({ paths: paths('#pet'), components: { schemas } })
    expect(tools).toBe(1)
    expect(told).toMatchObject([
      {
        message: expect.stringContaining(
          '`one` is not imported, because the schema of its arguments is not supported: the reference `#pet` has no target.',
        ),
      },
    ])
  })
})
