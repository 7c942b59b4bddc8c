import { describe, expect, it } from 'vitest'
import { compileModule } from './compiler.js'

function compiled(text: string): string | undefined {
  return compileModule('/design/orders.ts', text)
}

/** Runs the compiled form of a module and returns its exports. */
async function exportsOf(text: string, modules: Readonly<Record<string, object>> = {}): Promise<object> {
  const body = compiled(text)
  if (body === undefined) throw new Error('The module was left to the compiler of the evaluator.')
  const exports = {}
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  await new AsyncFunction('exports', 'module', 'jitiImport', body)(exports, {}, async (id: string) => modules[id])
  return exports
}

describe('a compiled module', () => {
  it('exports constants, functions and a default', async () => {
    const text = `export const a = b() , c: number = 2
export async function b(x: number = 1): Promise<string> { return 'b' + x }
export default { a } as const
interface Gone { readonly x: string }
export type AlsoGone = Gone['x']`
    expect(await exportsOf(text)).toMatchObject({ c: 2, default: { a: expect.any(Promise) }, b: expect.any(Function) })
  })

  it('exports lists, patterns, variables, classes, enums and namespaces', async () => {
    const text = `const a = 1
export { a, a as other }
export const { b } = { b: 2 }
export let c = 3
c += 1
export class D { constructor(readonly x: number) {} }
export enum E { F }
export namespace N { export const x = 5 }`
    const found = await exportsOf(text)
    expect(found).toMatchObject({ a: 1, other: 1, b: 2, c: 4, E: { F: 0 }, N: { x: 5 } })
    expect(Reflect.construct(Reflect.get(found, 'D'), [6])).toEqual({ x: 6 })
  })

  it('exports what other modules export, but its own exports and no default come first', async () => {
    const modules = { './a.js': { __esModule: true, default: 0, x: 1, y: 1 }, './b.js': { y: 2, z: 3, w: 4 } }
    const text = `export * from './a.js'\nexport * from './b.js'\nexport { w as v, default as u } from './b.js'\nexport const z = 5`
    const found = await exportsOf(text, modules)
    expect({ ...found }).toEqual({ x: 1, y: 1, z: 5, v: 4, u: modules['./b.js'], w: 4 })
  })

  it('imports by name, under another name, by default and as a whole, and calls what it imports as a function', async () => {
    const text = `import whole, { one, two as other, type Type } from 'x'
import * as space from 'x'
import type { Nothing } from 'types'
import { OnlyType } from 'more-types'
const other2 = { one, field: other, other }
export const made = [whole, one('t'), other2, space.one('s'), ({} as OnlyType & Nothing & Type)]
one('statement')`
    const calls: unknown[] = []
    const x = {
      default: 0,
      one(this: unknown, said: unknown) {
        calls.push(this, said)
        return 1
      },
      two: 2,
    }
    expect(await exportsOf(text, { x })).toEqual({
      made: [0, 1, { one: x.one, field: 2, other: 2 }, 1, {}],
    })
    expect(calls).toEqual([undefined, 't', x, 's', undefined, 'statement'])
  })

  it('imports only what takes part in the evaluation', () => {
    expect(compiled(`import { A } from 'a'\nexport const x = f<A>()`)).not.toContain(`import__("a")`)
    expect(compiled(`import 'effects'`)).toContain(`import__("effects")`)
  })

  it('reads what it imports when it needs it, so that modules may import each other', async () => {
    const other: { late?: number } = {}
    const made = await exportsOf(`import { late } from './other.js'\nexport const read = () => late`, {
      './other.js': other,
    })
    other.late = 3
    expect(Object(made).read()).toBe(3)
  })

  it('does not go on with the statement before', async () => {
    const log: unknown[] = []
    const text = `import { note } from 'x'\nconst a = 1\nnote(a)\nif (a) note(2)\nelse note(3)\nexport const b = a satisfies number\n`
    expect(await exportsOf(text, { x: { note: (value: unknown) => log.push(value) } })).toEqual({ b: 1 })
    expect(log).toEqual([1, 2])
  })

  it.each([
    'a generic function: export const f = <T>(x?: T): T | undefined => x',
    'an overload: function f(x: string): void\nfunction f(x: unknown) {}',
    'a declaration: declare const a: string',
    'an assertion: export const g = <string>f\nfunction f(this: string) {}',
    'words in a string: export const h = "You require (or import()) import.meta"',
  ])('may have %s', (text) => {
    expect(compiled(text.slice(text.indexOf(': ') + 2))).toBeDefined()
  })

  it('keeps strings of any characters', async () => {
    const text = String.raw`export const s = ['\ud800', '\u2028', '"\'\n\0', 'ü😀', ${'`${1}\\u{1F600}`'}, -0, 1e400]`
    expect(await exportsOf(text)).toEqual({ s: ['\ud800', '\u2028', '"\'\n\0', 'ü😀', '1😀', -0, Infinity] })
  })
})

describe('to the compiler of the evaluator is left', () => {
  it.each([
    ['a syntax error', 'export const a ='],
    ['a wrong type annotation', 'export const a: = 1'],
    ['a dynamic import', `export const a = () => import('./a.js')`],
    ['`import.meta`', 'export const a = import.meta.url'],
    ['`require`', `export const a = require('./a.cjs')`],
  ])('%s', (_, text) => {
    expect(compiled(text)).toBeUndefined()
  })
})
