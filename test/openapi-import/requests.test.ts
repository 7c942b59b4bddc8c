import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { toolsetText } from './documents.fixture.js'

/** What an import of a document says, and the module that it makes. */
async function imported(document: object, base?: string) {
  const source = { text: JSON.stringify(document), file: 'api.json', shown: '`api.json`' }
  const imported = await importOpenApi('api', source, base === undefined ? {} : { base })
  const { diagnostics } = imported
  return { diagnostics, module: toolsetText(imported), told: diagnostics.map(({ message }) => message).join('\n') }
}

const one = { operationId: 'one', summary: 'One.', responses: {} }
const other = { '/other': { get: { ...one, operationId: 'other' } } }

describe('the server of an operation', () => {
  const documentOf = (server: object, root: object[] = [{ url: 'https://main.example/v1' }]) => ({
    openapi: '3.0.3',
    info: {},
    servers: root,
    paths: { '/one': { servers: [server], get: one }, ...other },
  })

  it.each<[object, string]>([
    [{ url: 'https://{tenant}.example', variables: {} }, 'has a variable without a default'],
    [{ url: '{scheme}://a.example', variables: { scheme: { default: 'ftp' } } }, 'does not use HTTP'],
    [{ url: 'https://a.example/#b' }, 'contains a `#`'],
    [{ url: 'https://me:secret@a.example' }, 'contains credentials'],
    [{}, 'has no `url`'],
  ])('is never that of the document in its place: %j', async (server, why) => {
    const { told, module } = await imported(documentOf(server))
    expect(told).toContain('`GET /one` is not imported')
    expect(told).toContain(why)
    expect(told).not.toContain('me:secret')
    expect(module).not.toContain("path: '/one'")
    expect(module).toContain("path: '/other'")
  })

  it('may be relative to that of the document', async () => {
    expect((await imported(documentOf({ url: '/rel' }))).module).toContain("server: 'https://main.example/rel'")
  })

  it('is not guessed where the document is elsewhere than its server', async () => {
    const { told, module } = await imported(documentOf({ url: '/rel' }), 'https://docs.example/openapi.json')
    expect(told).toContain('may be `https://docs.example/rel` or `https://main.example/rel`')
    expect(module).not.toContain('docs.example')
  })

  it('is left to the application where the document has none either', async () => {
    const { told, module } = await imported(documentOf({ url: '/rel' }, []))
    expect(told).toContain('applications must set `baseUrl`')
    expect(module).toContain("path: '/one'")
  })
})

it.each(['get', 'head'])('a body that %s would have is left out, and told', async (method) => {
  const requestBody = { content: { 'application/json': { schema: { type: 'string' } } } }
  const { diagnostics, module } = await imported({
    openapi: '3.0.3',
    paths: { '/one': { [method]: { ...one, requestBody } } },
  })
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ code: 'TG6209', message: expect.stringContaining('The body') }),
  )
  expect(module).not.toContain('body:')
})

it('a header parameter with an invalid name is left out, with a finding', async () => {
  const parameters = [{ name: 'no header', in: 'header', schema: { type: 'string' } }]
  const { diagnostics, module } = await imported({
    openapi: '3.0.3',
    paths: { '/one': { get: { ...one, parameters } } },
  })
  expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'TG6209' }))
  expect(module).not.toContain('no header')
})

describe('a parameter with a media type', () => {
  const documentOf = (type: string, schema: object, more: object = {}) => ({
    openapi: '3.0.3',
    servers: [{ url: 'https://main.example' }],
    paths: {
      '/one': { get: { ...one, parameters: [{ name: 'p', in: 'query', content: { [type]: { schema } }, ...more }] } },
      ...other,
    },
  })

  it('is JSON where that is JSON', async () => {
    const { told, module } = await imported(documentOf('application/problem+json', { type: 'string' }))
    expect(told).toBe('')
    expect(module).toContain("parameters: [{ field: 'p', in: 'query', json: true }]")
  })

  it.each([
    ['text/plain', { type: 'string', maxLength: 3 }, '', 'maxLength: 3'],
    [
      'application/xml',
      { type: 'object' },
      'The parameter `p` of `GET /one` has the media type `application/xml`',
      "type: 'string'",
    ],
  ])('is a text where that is %s', async (type, schema, finding, field) => {
    const { told, module } = await imported(documentOf(type, schema))
    expect(told).toContain(finding)
    expect(told === '').toBe(finding === '')
    expect(module).toContain("parameters: [{ field: 'p', in: 'query' }]")
    expect(module).toContain(field)
  })

  it.each(['application/octet-stream', 'application/x-www-form-urlencoded'])(
    'is left out, and told, where that is %s',
    async (type) => {
      const { told, module } = await imported(documentOf(type, { type: 'string' }))
      expect(told).toBe(
        `The parameter \`p\` of \`GET /one\` is not imported: toolgen does not support parameters of the type \`${type}\`.`,
      )
      expect(module).not.toContain("'p'")
      const required = await imported(documentOf(type, { type: 'string' }, { required: true }))
      expect(required.told).toContain('`GET /one` is not imported: toolgen does not support parameters of the type')
      expect(required.module).not.toContain("path: '/one'")
    },
  )
})

describe('a parameter', () => {
  const documentOf = (parameter: object) => ({
    openapi: '3.1.0',
    servers: [{ url: 'https://main.example' }],
    paths: { '/one': { get: { ...one, parameters: [parameter] } }, ...other },
  })

  it('with a style that its location does not allow is reported, and gets the default style', async () => {
    const parameter = { name: 'p', in: 'header', style: 'deepObject', schema: { type: 'object' } }
    const { diagnostics, module } = await imported(documentOf(parameter))
    expect(diagnostics).toMatchObject([
      {
        code: 'TG6214',
        message:
          'The parameter `p` of `GET /one` is sent in the default style: OpenAPI does not allow the style `deepObject` in header.',
      },
    ])
    expect(module).toContain("parameters: [{ field: 'p', in: 'header' }]")
  })

  it('that no value fits is left out, with a finding; with a required one, its operation too', async () => {
    const { told, module } = await imported(documentOf({ name: 'p', in: 'query', schema: false }))
    expect(told).toBe('The parameter `p` of `GET /one` is not imported: its schema accepts no value.')
    expect(module).not.toContain("'p'")
    const required = await imported(documentOf({ name: 'p', in: 'query', schema: false, required: true }))
    expect(required.module).not.toContain("path: '/one'")
  })

  it('that is a header of the connection is left out with a note', async () => {
    const { diagnostics } = await imported(documentOf({ name: 'Host', in: 'header', schema: { type: 'string' } }))
    expect(diagnostics).toMatchObject([
      { code: 'TG6209', severity: 'note', message: expect.stringContaining('`Host`') },
    ])
  })
})

it('a field of a form may be JSON', async () => {
  const field = { type: 'array', items: { type: 'string' } }
  const schema = { type: 'object', properties: { a: field, b: field, c: field } }
  const encoding = {
    a: { contentType: 'application/json' },
    b: { contentType: 'application/json', explode: false },
    c: { contentType: 'text/plain' },
  }
  const content = { 'application/x-www-form-urlencoded': { schema, encoding } }
  const { module } = await imported({
    openapi: '3.0.3',
    servers: [{ url: 'https://main.example' }],
    paths: { '/one': { post: { ...one, requestBody: { content } } } },
  })
  expect(module).toContain("parts: { a: { type: 'application/json' }, b: { explode: false } }")
})

describe('a change', () => {
  const field = { type: 'string', default: 'guest', description: 'What it may do.' }
  const User = { type: 'object', properties: { role: field, boss: { $ref: '#/components/schemas/User' } } }
  const documentOf = (method: string, type: string) => {
    const schema = { $ref: '#/components/schemas/User' }
    const responses = { 200: { content: { 'application/json': { schema } } } }
    return {
      openapi: '3.0.3',
      servers: [{ url: 'https://main.example' }],
      paths: { '/one': { [method]: { ...one, requestBody: { content: { [type]: { schema } } }, responses } } },
      components: { schemas: { User } },
    }
  }

  it.each([
    ['patch', 'application/json'],
    ['patch', 'application/x-www-form-urlencoded'],
    ['put', 'application/merge-patch+json'],
  ])('has no defaults of what is left out, within others neither: %s of %s', async (method, type) => {
    const { module } = await imported(documentOf(method, type))
    const said = 'What it may do.\\n\\nDocumented default: "guest". An omitted field stays unchanged.'
    expect(module.split(said)).toHaveLength(3)
    const [before = '', patch = ''] = module.split('UserPatch: {')
    expect(before).toContain("default: 'guest'")
    expect(patch).not.toContain("default: 'guest'")
  })

  it('is no body of another method', async () => {
    const { module } = await imported(documentOf('put', 'application/json'))
    expect(module.match(/default: 'guest'/g)).toHaveLength(2)
    expect(module).not.toContain('Patch')
  })
})

it('the answer of HEAD has no body, whatever the document says', async () => {
  const content = { 'application/json': { schema: { type: 'object' } } }
  const { module } = await imported({
    openapi: '3.0.3',
    servers: [{ url: 'https://main.example' }],
    paths: { '/one': { head: { ...one, responses: { 200: { description: '', content } } } } },
  })
  expect(module).toContain("responses: { '200': 'none' }")
  expect(module).toMatch(/result: \{\s+type: 'null',/)
})

describe('a document of version 2', () => {
  const list = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  const documentOf = (operation: object) => ({
    swagger: '2.0',
    host: 'a.example',
    paths: { '/one': { post: { ...one, ...operation } }, ...other },
  })
  const inForm = (more: object) => ({ name: 'l', in: 'formData', ...list, ...more })

  it('has forms whose lists are written as it says', async () => {
    const { module } = await imported(
      documentOf({
        parameters: [
          inForm({}),
          inForm({ name: 'm', collectionFormat: 'multi' }),
          inForm({ name: 'p', collectionFormat: 'pipes' }),
        ],
      }),
    )
    expect(module).toMatch(/type: 'application\/x-www-form-urlencoded',\s+as: 'form'/)
    expect(module).toContain("l: { style: 'form', explode: false }")
    expect(module).toContain("p: { style: 'pipeDelimited', explode: false }")
    expect(module).not.toContain('m: { style')
    expect(module).toContain("enum: ['a', 'b']")
  })

  it('sends files in a multipart body, and has those that are answered as bytes', async () => {
    const { module } = await imported(
      documentOf({
        parameters: [{ name: 'f', in: 'formData', type: 'file' }],
        responses: { 200: { description: '', schema: { type: 'file' } } },
      }),
    )
    expect(module).toContain("as: 'multipart'")
    expect(module).toContain("responses: { '200': 'bytes' }")
  })

  it.each(['header pipes', 'header ssv', 'query tsv', 'formData tsv'])(
    'is told of a list that nobody can write: %s',
    async (written) => {
      const [location, collectionFormat] = written.split(' ')
      const { told, module } = await imported(documentOf({ parameters: [inForm({ in: location, collectionFormat })] }))
      expect(told).toContain('`POST /one` is not imported: its ')
      expect(module).toContain("path: '/other'")
    },
  )

  it('loses an operation that has a form and a body, with a finding', async () => {
    const body = { name: 'b', in: 'body', schema: { type: 'string' } }
    const { told, module } = await imported(documentOf({ parameters: [inForm({}), body] }))
    expect(told).toContain('`POST /one` is not imported: its parameter `b` has an unknown location `in`')
    expect(module).toContain("path: '/other'")
  })

  it('has variants by the name of the discriminator', async () => {
    const Pet = { type: 'object', discriminator: 'kind', required: ['kind'], properties: { kind: { type: 'string' } } }
    const Dog = { allOf: [{ $ref: '#/definitions/Pet' }, { properties: { bark: { type: 'boolean' } } }] }
    const parameters = [{ name: 'b', in: 'body', schema: { $ref: '#/definitions/Pet' } }]
    const { module } = await imported({ ...documentOf({ parameters }), definitions: { Pet, Dog } })
    expect(module).toContain("properties: { kind: { const: 'Dog' } }")
    expect(module).toContain("properties: { kind: { const: 'Pet' } }")
  })

  it('is asked over https where it may be, each operation as it says', async () => {
    const secret = { ...documentOf({}), schemes: ['http', 'https'] }
    expect((await imported(secret)).module).toContain("server: 'https://a.example'")
    const { module } = await imported({
      ...documentOf({ schemes: ['http', 'https'] }),
      schemes: ['http'],
      basePath: '/v1',
    })
    expect(module).toMatch(/path: '\/one',\s+server: 'https:\/\/a.example\/v1'/)
    expect(module).toContain("server: 'http://a.example/v1'")
    const sockets = await imported({ ...documentOf({ schemes: ['wss'] }), schemes: ['https'] })
    expect(sockets.told).toContain('`POST /one` is not imported: its server `wss://a.example` does not use HTTP')
  })

  it('says with `x-nullable` what may be null', async () => {
    const schema = { type: 'object', properties: { v: { type: 'string', 'x-nullable': true } } }
    const { module } = await imported(documentOf({ parameters: [{ name: 'b', in: 'body', schema }] }))
    expect(module).toMatch(/v: .*null/)
  })
})
