import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Runtime } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { importOpenApi } from '../../packages/codegen/src/imports/openapi.js'
import { registerShop } from './openapi/gen/agents/shop/index.js'
import { newAddPetCall, newListPetsCall, newPhotosPutCall } from './openapi/gen/toolsets/pets/index.js'

const folder = join(import.meta.dirname, 'openapi')
const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8')

/** An agent whose requests are answered with the same value, and the requests. */
function shopOf(value: unknown, status = 200) {
  const requests: { readonly url: string; readonly init: any }[] = []
  const send: any = async (url: URL, init: RequestInit) => {
    requests.push({ url: url.href, init })
    return new Response(status === 204 ? null : JSON.stringify(value), { status })
  }
  const shop = registerShop(new Runtime(), {
    toolsets: {
      pets: { auth: { token: 't' }, fetch: send },
      photos: { auth: { user: { username: 'me', password: 'p' } }, baseUrl: 'http://localhost:1', fetch: send },
    },
  })
  return { shop, requests }
}

describe('an agent of a document', () => {
  const whole = 'must be an absolute URL that begins with http:// or https://'
  it.each<[unknown, string]>([
    ['', `toolsets.photos.baseUrl ${whole}`],
    ['/v1', `toolsets.photos.baseUrl ${whole}`],
    ['localhost:8080', `toolsets.photos.baseUrl ${whole}`],
    ['ftp://localhost', `toolsets.photos.baseUrl ${whole}`],
    ['http://local host', `toolsets.photos.baseUrl ${whole}`],
    [new URL('http://localhost'), `toolsets.photos.baseUrl ${whole}`],
    ['http://localhost/#/v1', 'toolsets.photos.baseUrl must not contain "#"'],
    [
      'http://me:secret@localhost',
      'toolsets.photos.baseUrl must not contain a user name or password; use auth instead',
    ],
  ])('is not registered with the baseUrl %j, and it is said where that stands', (baseUrl, message) => {
    const wrong: any = { auth: { user: { username: 'me', password: 'p' } }, baseUrl }
    const register = () => registerShop(new Runtime(), { toolsets: { pets: {}, photos: wrong } })
    expect(register).toThrow(message)
    expect(register).toThrow(expect.objectContaining({ message: expect.not.stringContaining('secret') }))
  })
})

describe('the toolset of a document', () => {
  it('is what the import writes', async () => {
    const source = { text: textOf('pets.yaml'), file: 'pets.yaml', shown: '`pets.yaml`' }
    const { files, diagnostics } = await importOpenApi('pets', source, { from: '../pets.yaml' })
    expect(diagnostics.map(({ code }) => code)).toEqual(['TG6206', 'TG6206'])
    for (const { path, text } of files) {
      // The formatter of this repository also formats JSON files.
      const read = path.endsWith('.json') ? JSON.parse : String
      expect(read(text)).toEqual(read(textOf(`design/${path}`)))
    }
  })

  it('sends typed arguments and gives typed results', async () => {
    const { shop, requests } = shopOf([{ id: '1', name: 'Rex', kind: 'dog', price: null, more: true }])
    const outcome = await shop.execute(newListPetsCall({ filter_kind: ['dog', 'cat'], limit: 5, 'X-Request-Id': 'r' }))
    if (outcome.status !== 'completed') return expect.fail(outcome.status)
    const name: string | undefined = outcome.result.data[0]?.name
    expect([name, outcome.json]).toEqual(['Rex', '[{"id":"1","name":"Rex","kind":"dog","price":null}]'])
    expect(requests[0]?.url).toBe('https://pets.example.com/v1/pets?filter%5Bkind%5D=dog,cat&limit=5')
    expect(Object.fromEntries(requests[0]?.init.headers)).toMatchObject({
      authorization: 'Bearer t',
      'x-request-id': 'r',
    })
  })

  it('leaves out of what is sent what only comes back', async () => {
    const { shop, requests } = shopOf(undefined, 204)
    const outcome = await shop.execute(newAddPetCall({ name: 'Tom', kind: 'cat', parent: { name: 'Ma', kind: 'cat' } }))
    expect(outcome).toMatchObject({ status: 'completed', result: { data: null } })
    expect(requests[0]?.init.body).toBe('{"name":"Tom","kind":"cat","parent":{"name":"Ma","kind":"cat"}}')
  })

  it('turns a declared error status into a typed failure', async () => {
    const call = newAddPetCall({ name: 'Tom', kind: 'cat' })
    const { shop } = shopOf({ reason: 'Tom exists.', trace: 'x' }, 422)
    const outcome = await shop.execute(call)
    if (outcome.status !== 'failed' || outcome.error.reason !== 'unprocessable_content')
      return expect.fail(outcome.status)
    const reason: string = outcome.error.data.reason
    expect([reason, outcome.error.data]).toEqual(['Tom exists.', { reason: 'Tom exists.' }])
    expect(outcome.hint).toMatchObject({
      action: 'correct_call',
      failure: 'unprocessable_content',
      message: '{"reason":"Tom exists.","trace":"x"}',
    })
    const { shop: other } = shopOf({ why: 'Tom exists.' }, 422)
    const unreadable = await other.execute(call)
    expect(unreadable).toMatchObject({
      error: { reason: 'domain_rejection', message: '{"why":"Tom exists."}' },
      hint: { action: 'correct_call' },
    })
    expect(JSON.stringify(unreadable)).not.toContain('unprocessable_content')
    const { shop: undeclared } = shopOf({ reason: 'None.' }, 404)
    expect(await undeclared.execute(call)).toMatchObject({ error: { reason: 'domain_rejection' } })
  })

  it('distinguishes a field of the body from a path parameter with the same name', async () => {
    const { shop, requests } = shopOf(undefined, 204)
    const outcome = await shop.execute(newPhotosPutCall({ id: 'p1', body_id: 'b1', photo: 'AQI=' }, { as: 'photos' }))
    expect(outcome).toMatchObject({ status: 'completed' })
    expect(requests[0]?.url).toBe('http://localhost:1/pets/p1/photos')
    const form: FormData = requests[0]?.init.body
    const photo: any = form.get('photo')
    expect([form.get('id'), photo.type, photo.size]).toEqual(['b1', 'image/png', 2])
    expect(requests[0]?.init.headers.get('authorization')).toBe(`Basic ${btoa('me:p')}`)
  })
})
