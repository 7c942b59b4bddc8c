import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/import/openapi/import-openapi.js'

/** What an import of a document says, and the module that it makes. */
async function imported(document: object, base?: string) {
  const source = { text: JSON.stringify(document), file: 'api.json', shown: '`api.json`' }
  const { diagnostics, files } = await importOpenApi('api', source, base === undefined ? {} : { base })
  const snapshot = files.find(({ path }) => path.endsWith('.json'))?.text ?? ''
  const module = files.find(({ path }) => path.endsWith('.ts'))?.text ?? ''
  return { diagnostics, snapshot, module, told: diagnostics.map(({ message }) => message).join('\n') }
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
    [{ url: '{scheme}://a.example', variables: { scheme: { default: 'ftp' } } }, 'is not asked by HTTP'],
    [{ url: 'https://a.example/#b' }, 'has a `#`'],
    [{ url: 'https://me:secret@a.example' }, 'a name or a password'],
    [{}, 'has no `url`'],
  ])('is never that of the document in its place: %j', async (server, why) => {
    const { told, module } = await imported(documentOf(server))
    expect(told).toContain('`GET /one` is left out')
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
    expect(told).toContain('applications must give `baseUrl`')
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

it('a parameter that has no name of a header is left out, and told', async () => {
  const parameters = [{ name: 'no header', in: 'header', schema: { type: 'string' } }]
  const { diagnostics, module } = await imported({
    openapi: '3.0.3',
    paths: { '/one': { get: { ...one, parameters } } },
  })
  expect(diagnostics).toContainEqual(expect.objectContaining({ code: 'TG6209' }))
  expect(module).not.toContain('no header')
})

describe('a document of version 2', () => {
  const list = { type: 'array', items: { type: 'string', enum: ['a', 'b'] } }
  const documentOf = (operation: object) => ({
    swagger: '2.0',
    host: 'a.example',
    paths: { '/one': { post: { ...one, ...operation } }, ...other },
  })
  const inForm = (more: object) => ({ name: 'l', in: 'formData', ...list, ...more })

  it('has forms whose lists are written as it says, from its snapshot too', async () => {
    const { module, snapshot } = await imported(
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
    expect((await imported(JSON.parse(snapshot))).module).toContain("l: { style: 'form', explode: false }")
  })

  it('sends files in a multipart body, and has those that are answered as bytes', async () => {
    const { module } = await imported(
      documentOf({
        parameters: [{ name: 'f', in: 'formData', type: 'file' }],
        responses: { 200: { description: '', schema: { type: 'file' } } },
      }),
    )
    expect(module).toContain("as: 'multipart'")
    expect(module).toContain("answers: { '200': 'bytes' }")
  })

  it.each(['header pipes', 'header ssv', 'query tsv', 'formData tsv'])(
    'is told of a list that nobody can write: %s',
    async (written) => {
      const [place, collectionFormat] = written.split(' ')
      const { told, module } = await imported(documentOf({ parameters: [inForm({ in: place, collectionFormat })] }))
      expect(told).toContain('`POST /one` is left out: no request can have')
      expect(module).toContain("path: '/other'")
    },
  )

  it('says with `x-nullable` what may be null', async () => {
    const schema = { type: 'object', properties: { v: { type: 'string', 'x-nullable': true } } }
    const { module } = await imported(documentOf({ parameters: [{ name: 'b', in: 'body', schema }] }))
    expect(module).toMatch(/v: .*null/)
  })
})
