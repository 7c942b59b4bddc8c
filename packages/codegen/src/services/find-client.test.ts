import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectWith } from './bound-design.fixture.js'
import { findClient } from './client.js'
import { type OpenProgram, openProject } from './program.js'

const clients = `
import type { Far } from './far.js'
import type * as api from './far.js'
interface ServiceClient<Client> { readonly '~toolgen': 'client'; readonly '~client'?: Client }
declare function serviceClient<Client>(): ServiceClient<Client>
declare function wrapped<T>(): ServiceClient<T>
interface Near { get(): void; post(): void }
declare class Klass { get(): void }
interface Generic<T, K> { get(key: K): T }
export const byInterface = serviceClient<Near>()
export const byClass = serviceClient<Klass>()
export const byLiteral = serviceClient<{ get(): void }>()
export const byImport = serviceClient<Far>()
export const byTypeofImport = serviceClient<typeof import('./far.js').instance>()
export const byTypeofDefault = serviceClient<typeof import('./far.js').default>()
export const byMember = serviceClient<Far['inner']>()
export const byNamespace = serviceClient<typeof api.instance>()
export const byGeneric = serviceClient<Generic<string, 'a'>>()
export const byPick = serviceClient<Pick<Near, 'get'>>()
export const byWrapper = wrapped<Near>()
export const byAnnotation: ServiceClient<Near> = serviceClient()
export const bySatisfies = serviceClient<Near>() satisfies ServiceClient<Near>
export const group = { orders: serviceClient<Near>() }
const hidden = serviceClient<Near>()
export { hidden as renamed }
export default hidden
export const { picked } = { picked: serviceClient<Near>() }
export const isAny = serviceClient<any>()
export const isUntyped = serviceClient()
export const isNothing = 3
`

let root = ''
let program: OpenProgram

beforeAll(() => {
  root = projectWith({
    'package.json': '{ "type": "module" }',
    'clients.ts': clients,
    'far.ts': `export interface Far { get(): void; inner: { get(): void } }
export declare const instance: Far
declare const fallback: Far
export default fallback`,
    'again.ts': `export * from './clients.js'
export { byInterface as other } from './clients.js'
export * as everything from './clients.js'`,
    'broken.ts': `import type { Gone } from './gone.js'
import { byInterface } from './clients.js'
export const lost = byInterface as unknown as { readonly '~client'?: Gone }
export const inside = byInterface as unknown as { readonly '~client'?: { get(): Gone } }`,
  })
  const modules = ['clients.ts', 'again.ts', 'broken.ts']
  const project = openProject({ root, modules })
  if ('error' in project) throw new Error(project.error.message)
  program = project.program('export {}')
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The methods of the client, or the code and place of what is wrong. */
function look(module: string, ...path: readonly string[]): string {
  const found = findClient({ module, path }, program)
  if ('type' in found)
    return found.type
      .getProperties()
      .map(({ name }) => name)
      .join(' ')
  return found.errors.map(({ code, near }) => [code, ...(near ?? [])].join(' ')).join(', ')
}

test.each(['byInterface', 'byAnnotation', 'byWrapper', 'bySatisfies', 'renamed', 'default', 'picked'])(
  '%s is found',
  (name) => {
    expect(look('clients.ts', name)).toBe('get post')
  },
)

test.each(['byClass', 'byLiteral', 'byMember', 'byGeneric', 'byPick'])('%s is found', (name) => {
  expect(look('clients.ts', name)).toBe('get')
})

test.each(['byImport', 'byTypeofImport', 'byTypeofDefault', 'byNamespace'])('%s is found', (name) => {
  expect(look('clients.ts', name)).toBe('get inner')
})

test('a client in a group and clients that are exported again are found', () => {
  expect(look('clients.ts', 'group', 'orders')).toBe('get post')
  expect(look('again.ts', 'byInterface')).toBe('get post')
  expect(look('again.ts', 'other')).toBe('get post')
  expect(look('again.ts', 'everything', 'group', 'orders')).toBe('get post')
})

test('what is not there is named', () => {
  expect(look('gone.ts', 'client')).toBe('TG4001')
  expect(look('clients.ts', 'byInterfase')).toBe('TG4001 byInterface')
  expect(look('clients.ts', 'group', 'nothing')).toBe('TG4001')
  expect(look('clients.ts', 'isNothing')).toBe('TG4001')
})

test('a client type without methods is refused', () => {
  expect(look('clients.ts', 'isAny')).toBe('TG4004')
  expect(look('clients.ts', 'isUntyped')).toBe('TG4004')
})

test('a client type that cannot be resolved is no any', () => {
  expect(look('broken.ts', 'lost')).toBe('TG4002')
})
