import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { toolsetText } from './documents.fixture.js'

/** What an import says of a text. */
async function told(text: string, file = 'api.json') {
  const imported = await importOpenApi('api', { text, file, shown: `\`${file}\`` })
  const diagnostics = imported.diagnostics.map(({ code, severity, message }) => ({ code, severity, message }))
  return { ...imported, diagnostics }
}

const get = (operation: object) => ({ get: { operationId: 'one', summary: 'One.', responses: {}, ...operation } })
const documentOf = (paths: object, more: object = {}): string =>
  JSON.stringify({ openapi: '3.0.3', info: {}, servers: [{ url: 'https://example.com' }], paths, ...more })
const ofOne = (operation: object, components: object = {}) => documentOf({ '/one': get(operation) }, { components })

describe('what is no document', () => {
  it.each<[string, string, string, string]>([
    ['{"openapi": }', 'api.json', 'TG0009', 'it is not JSON: expected a value'],
    ['[]', 'api.json', 'TG6201', 'neither `openapi` nor `swagger`'],
    ['{"openapi": "4.0.0", "paths": {}}', 'api.json', 'TG6201', 'its version is `4.0.0`'],
    ['{"swagger": "1.2"}', 'api.json', 'TG6201', 'its version is `"1.2"`'],
    ['{"openapi": "3.1.0"}', 'api.json', 'TG6201', 'it has no `paths`'],
    ['{"openapi": "3.1.0", "paths": {}}', 'api.json', 'TG6201', 'no operation that can be imported'],
    ['just text', 'api.yaml', 'TG6201', 'neither `openapi` nor `swagger`'],
    ['openapi: 3.0.0\n  paths: [', 'api.yaml', 'TG0009', 'it is not YAML'],
    ['a: 1\na: 2', 'api.yaml', 'TG0009', 'it is not YAML'],
    ['a: &a [*a]', 'api.yaml', 'TG6201', 'contains itself'],
    [
      `a0: &a0 [x, x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}*a${i}]`).join('\n')}`,
      'api.yaml',
      'TG0009',
      'too many values',
    ],
    [`{"openapi": "3.0.0", "paths": ${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`, 'api.json', 'TG6201', 'levels deep'],
    ['\u0000\u0001\u0002', 'api.bin', 'TG6201', ''],
  ])('%j of %s', async (text, file, code, message) => {
    const { files, diagnostics } = await told(text, file)
    expect(files).toEqual([])
    expect(diagnostics).toMatchObject([{ code, severity: 'error', message: expect.stringContaining(message) }])
  })
})

it('a tag is asked for where the document has none', async () => {
  const select = { tags: ['pets'], paths: [], operations: [] }
  const source = { text: ofOne({}), file: 'api.json', shown: '`api.json`' }
  expect((await importOpenApi('api', source, { select })).diagnostics).toMatchObject([
    { code: 'TG0001', next: 'The document has no tags: remove --tag, or select with another option.' },
  ])
})

describe('applications must set the URL of an API, with the reason in the error,', () => {
  it.each<[string, unknown, string]>([
    ['where its document names no server', undefined, ':'],
    ['where it names none in its list', [], ':'],
    ['where an address is relative to a file', [{ url: '/v1' }], ', because its server `/v1` is relative:'],
    [
      'where an address has a fragment',
      [{ url: 'https://example.com/#/v1' }],
      ', because its server `https://example.com/#/v1` contains a `#`, so paths cannot be appended:',
    ],
    [
      'where a variable has no default',
      [{ url: 'https://{host}/v1' }],
      ', because its server `https://{host}/v1` has a variable without a default:',
    ],
    [
      'where it is not HTTP',
      [{ url: 'ws://example.com' }],
      ', because its server `ws://example.com` does not use HTTP:',
    ],
    [
      'where an address holds a password',
      [{ url: 'https://a:b@example.com' }],
      ', because the URL of its server contains credentials:',
    ],
    ['where a server has no address', [{}], ', because its server has no `url`:'],
  ])('%s', async (_, servers, why) => {
    const text = JSON.stringify({ openapi: '3.1.0', servers, paths: { '/one': get({}) } })
    const { files, diagnostics } = await told(text)
    expect(diagnostics).toEqual([
      {
        code: 'TG6207',
        severity: 'warning',
        message: `The URL of the API is unknown${why} applications must set \`baseUrl\`.`,
      },
    ])
    expect(toolsetText({ files })).not.toContain('server:')
  })

  it('where that stands', async () => {
    const text = `{ "openapi": "3.1.0",\n"servers": [{ "url": "#" }],\n"paths": { "/one": ${JSON.stringify(get({}))} } }`
    const imported = await importOpenApi('api', { text, file: 'api.json', shown: '`api.json`' })
    expect(imported.diagnostics).toMatchObject([
      {
        code: 'TG6207',
        location: { file: 'api.json', line: 2, column: 1 },
        next: expect.stringContaining("`toolsets: { api: { baseUrl: 'https://api.example.com' } }`"),
      },
    ])
  })
})

describe('an operation is left out, and the others are not,', () => {
  const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const ref = ($ref: string) => ({ $ref })
  it.each<[string, object, object, string, string]>([
    [
      'where a parameter leads nowhere',
      { parameters: [ref('#/components/parameters/x')] },
      {},
      'TG6202',
      'has no target',
    ],
    [
      'where a parameter points to itself',
      { parameters: [ref('#/components/parameters/a')] },
      { parameters: { a: ref('#/components/parameters/b'), b: ref('#/components/parameters/a') } },
      'TG6202',
      'points to itself',
    ],
    ['where a parameter has no name', { parameters: [{ in: 'query' }] }, {}, 'TG6202', 'no `name`'],
    [
      'where a parameter is nowhere',
      { parameters: [{ name: 'a', in: 'body' }] },
      {},
      'TG6202',
      'has an unknown location `in`',
    ],
    ['where a parameter is no object', { parameters: [1] }, {}, 'TG6202', 'is not an object'],
    [
      'where a schema of its arguments is elsewhere',
      { parameters: [{ name: 'a', in: 'query', schema: ref('https://example.com/a.json') }] },
      {},
      'TG6203',
      'https://example.com/a.json',
    ],
    [
      'where a schema of its arguments leads nowhere, over others',
      { parameters: [{ name: 'a', in: 'query', schema: ref('#/components/schemas/A') }] },
      {
        schemas: {
          A: { properties: { b: ref('#/components/schemas/B') } },
          B: { items: ref('#/components/schemas/None') },
        },
      },
      'TG6003',
      'has no target',
    ],
    [
      'where no value fits its arguments',
      { parameters: [{ ...parameter, in: 'query', schema: { allOf: [{ type: 'string' }, { type: 'number' }] } }] },
      {},
      'TG6003',
      'accepts no value',
    ],
    [
      'where a schema is none',
      { parameters: [{ name: 'a', in: 'query', schema: { type: 'no such type' } }] },
      {},
      'TG6003',
      '`type` must be',
    ],
  ])('%s', async (_, operation, components, code, message) => {
    const text = documentOf(
      { '/one': get(operation), '/two': { get: { operationId: 'two', summary: 'Two.' } } },
      { components },
    )
    const { tools, diagnostics } = await told(text)
    expect(diagnostics).toMatchObject([{ code, severity: 'warning', message: expect.stringContaining(message) }])
    expect(tools).toBe(1)
  })

  it('where its body is elsewhere', async () => {
    const post = get({ requestBody: ref('bodies.yaml#/Pet') }).get
    const { tools, diagnostics } = await told(documentOf({ '/one': { post }, '/two': get({ operationId: 'two' }) }))
    expect(diagnostics).toMatchObject([{ code: 'TG6203', message: expect.stringContaining('`bodies.yaml#/Pet`') }])
    expect(tools).toBe(1)
  })

  it('where its path has a part that no parameter has', async () => {
    const { diagnostics } = await told(documentOf({ '/one/{id}': get({}), '/two': get({ operationId: 'two' }) }))
    expect(diagnostics).toMatchObject([
      { code: 'TG6202', message: expect.stringContaining('the parameter `id` of its path is not declared') },
    ])
  })
})

describe('a result may be any JSON', () => {
  it.each<[string, object, object, string]>([
    ['where its schema leads nowhere', { schema: { $ref: '#/components/schemas/None' } }, {}, 'TG6004'],
    ['where its schema is elsewhere', { schema: { $ref: 'other.json' } }, {}, 'TG6203'],
    [
      'where a definition that it needs is no schema',
      { schema: { $ref: '#/components/schemas/A' } },
      { schemas: { A: 1 } },
      'TG6004',
    ],
  ])('%s', async (_, content, components, code) => {
    const responses = { 200: { content: { 'application/json': content } } }
    const { tools, described, diagnostics } = await told(ofOne({ responses }, components))
    expect([tools, described]).toEqual([1, 0])
    expect(diagnostics).toMatchObject([{ code, severity: 'warning' }])
  })
})

describe('names', () => {
  it('come from the method and the path by default, and duplicates get different names', async () => {
    const operation = { summary: 'One.' }
    const { files, diagnostics } = await told(
      documentOf({
        '/pets/{id}/toys': { parameters: [{ name: 'id', in: 'path', required: true, schema: {} }], get: operation },
        '/a': { get: { ...operation, operationId: 'same' }, put: { ...operation, operationId: 'same' } },
        '/b': {
          get: { ...operation, operationId: '__proto__' },
          put: { ...operation, operationId: '日本語 "\'`*/ </script>' },
        },
      }),
    )
    expect(diagnostics.map(({ code }) => code)).toEqual(['TG6204', 'TG6205'])
    expect(toolsetText({ files })).toMatch(
      /getPetsByIdToys: defineTool[\s\S]*same: defineTool[\s\S]*same_2: defineTool/,
    )
  })

  it('of fields are legal and differ, and requests carry those of the API', async () => {
    const schema = { type: 'string' }
    const names = ['id', 'filter[status]', '$top', '__proto__', 'x'.repeat(70)]
    const parameters = [
      ...names.map((name) => ({ name, in: 'query', schema })),
      { name: 'id', in: 'header', schema },
      { name: 'Authorization', in: 'header', schema },
    ]
    const body = { content: { 'application/json': { schema: { type: 'object', properties: { id: schema } } } } }
    const text = documentOf({
      '/one': { post: { operationId: 'one', summary: 'One.', parameters, requestBody: body } },
    })
    const { files } = await told(text)
    expect(toolsetText({ files })).toContain(
      `        parameters: [
          { field: 'id', in: 'query' },
          { field: 'filter_status', in: 'query', name: 'filter[status]' },
          { field: 'top', in: 'query', name: '$top' },
          { field: 'proto', in: 'query', name: '__proto__' },`,
    )
    expect(toolsetText({ files })).toContain("{ field: 'header_id', in: 'header', name: 'id' }")
    expect(toolsetText({ files })).toContain("fields: ['body_id'], names: { body_id: 'id' }")
    expect(toolsetText({ files })).not.toContain('Authorization')
  })

  it('of parameters that are declared twice count once, and those of the operation before those of its path', async () => {
    const one = { name: 'a', in: 'query', schema: { type: 'string' } }
    const item = {
      parameters: [{ ...one, schema: { type: 'integer' } }],
      ...get({ parameters: [one, { ...one, schema: {} }] }),
    }
    const { files, diagnostics } = await told(documentOf({ '/one': item }))
    expect(diagnostics).toMatchObject([
      { code: 'TG6209', message: expect.stringContaining('another parameter in query has the same name') },
    ])
    expect(toolsetText({ files })).toContain("a: { type: 'string' }")
  })
})

it('texts of others end no comment, no string and no template', async () => {
  const hostile = '*/ ${process.exit()} `\u2028\u202E\n// @ts-ignore </script> \'"'
  const query = { name: 'a', in: 'query', schema: { type: 'string', description: hostile } }
  const body = { content: { 'application/json': { schema: { type: 'object', properties: { [hostile]: {} } } } } }
  const { files } = await told(
    documentOf(
      { '/one': get({ description: hostile, parameters: [query] }), '/two': { post: { requestBody: body } } },
      { info: { title: hostile, version: '1' } },
    ),
  )
  const { default: ts } = await import('typescript')
  for (const { text } of files.slice(1)) {
    const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true })
    expect(diagnostics).toEqual([])
    expect(text).not.toMatch(/[\u2028\u202E]/)
  }
})

it('schemas that lead to themselves stay definitions, those for one direction become two', async () => {
  const Node = {
    type: 'object',
    required: ['id', 'name'],
    properties: {
      id: { type: 'string', readOnly: true },
      name: { type: 'string' },
      secret: { type: 'string', writeOnly: true },
      next: { $ref: '#/components/schemas/Node' },
    },
  }
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node' } } }
  const { files, diagnostics } = await told(
    documentOf(
      {
        '/one': {
          post: { operationId: 'one', summary: 'One.', requestBody: { content }, responses: { 200: { content } } },
        },
      },
      { components: { schemas: { Node } } },
    ),
  )
  expect(diagnostics).toEqual([])
  expect(toolsetText({ files })).toContain(`    Node: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'string', readOnly: true },
        name: { type: 'string' },
        next: { $ref: '#/$defs/Node' },
      },
    },
    NodeInput: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        secret: { type: 'string', writeOnly: true },
        next: { $ref: '#/$defs/NodeInput' },
      },
    },`)
})

it('a document of version 2 says the same as one of version 3', async () => {
  const two = {
    swagger: '2.0',
    info: { title: 'Pets', version: '1' },
    host: 'example.com',
    basePath: '/v1',
    schemes: ['https'],
    securityDefinitions: { key: { type: 'apiKey', in: 'header', name: 'X-Key' }, user: { type: 'basic' } },
    security: [{ key: [] }],
    paths: {
      '/pets/{id}': {
        post: {
          operationId: 'savePet',
          summary: 'Saves.',
          consumes: ['multipart/form-data'],
          parameters: [
            { name: 'id', in: 'path', required: true, type: 'integer' },
            { name: 'tags', in: 'query', type: 'array', items: { type: 'string' }, collectionFormat: 'pipes' },
            { name: 'photo', in: 'formData', type: 'file' },
          ],
          responses: { 200: { description: 'ok', schema: { $ref: '#/definitions/Pet' } } },
        },
      },
    },
    definitions: { Pet: { type: 'object', properties: { name: { type: 'string' } } } },
  }
  const { files, diagnostics } = await told(JSON.stringify(two))
  expect(diagnostics).toEqual([])
  expect(toolsetText({ files })).toContain(`    server: 'https://example.com/v1',
    security: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } },
    operations: {
      savePet: {
        method: 'POST',
        path: '/pets/{id}',
        parameters: [{ field: 'id', in: 'path' }, { field: 'tags', in: 'query', style: 'pipeDelimited' }],
        body: { type: 'multipart/form-data', as: 'multipart', fields: ['photo'], parts: { photo: { bytes: true } } },
        responses: { '200': 'json' },
        security: [['key']],
      },
    },`)
})

describe('defect 13e: a security scheme that no request can carry', () => {
  const operation = { security: [{ key: [] }] }
  const withScheme = (scheme: object, more: object = operation) =>
    ofOne(more, { securitySchemes: { key: { type: 'apiKey', ...scheme } } })

  it.each<[string, object, string]>([
    ['a header with a line break', { in: 'header', name: 'X-Key\n' }, '"X-Key\\n" is not a valid name of a header'],
    ['a header with a space', { in: 'header', name: 'X Key' }, '"X Key" is not a valid name of a header'],
    ['a header without a name', { in: 'header', name: '' }, '"" is not a valid name of a header'],
    ['a cookie with a semicolon', { in: 'cookie', name: 'a;b' }, '"a;b" is not a valid name of a cookie'],
  ])('defect 13e: as %s is refused at its place', async (_, scheme, message) => {
    const text = JSON.stringify(JSON.parse(withScheme(scheme)), null, 2)
    const { files, diagnostics } = await importOpenApi('api', { text, file: 'api.json', shown: '`api.json`' })
    expect(files).toEqual([])
    const line =
      text.split('\n').findIndex((each) => each.includes(`"name": ${JSON.stringify(Reflect.get(scheme, 'name'))}`)) + 1
    expect(diagnostics).toMatchObject([
      {
        ...{ code: 'TG6216', severity: 'error', location: { file: 'api.json', line } },
        message: `The security scheme \`key\` cannot be sent: ${message}.`,
      },
    ])
  })

  it('does not matter where no imported operation uses it, nor in a query', async () => {
    expect((await told(withScheme({ in: 'header', name: 'X Key' }, { security: [] }))).diagnostics).toEqual([])
    expect((await told(withScheme({ in: 'query', name: 'a key\n' }))).diagnostics).toEqual([])
  })
})

it('defect 13a: an enum beside `type: array` is moved into the items, with a warning', async () => {
  const schema = { type: 'object', properties: { colors: { type: 'array', enum: ['red'] } }, required: ['colors'] }
  const content = { 'application/json': { schema } }
  const { files, diagnostics } = await told(documentOf({ '/one': { post: get({ requestBody: { content } }).get } }))
  expect(toolsetText({ files })).toContain("colors: { type: 'array', items: { type: 'string', enum: ['red'] } }")
  expect(diagnostics).toEqual([
    {
      code: 'TG3032',
      severity: 'warning',
      message:
        '`POST /one`: The values `["red"]` of `enum` are not arrays; they were moved to the items, at /properties/colors.',
    },
  ])
})
