import { ts } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { parseModule, rewriteModule } from './compiler.js'

function rewrite(text: string): string | undefined {
  return rewriteModule(ts, parseModule(ts, 'design/orders.ts', text), 'load')
}

/** What a module exports when its rewritten form runs. */
async function exportsOf(text: string, modules: Readonly<Record<string, object>> = {}): Promise<object> {
  const body = rewrite(text)
  if (body === undefined) throw new Error('The module was left to the compiler.')
  const exports = {}
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  await new AsyncFunction('exports', 'load', body)(exports, async (id: string) => modules[id])
  return exports
}

describe('a rewritten module', () => {
  it('exports constants, functions and a default', async () => {
    const text = `export const a = b() , c: number = 2
export async function b(x: number = 1): Promise<string> { return 'b' + x }
export default { a } as const
interface Gone { readonly x: string }
export type AlsoGone = Gone['x']`
    expect(await exportsOf(text)).toMatchObject({ c: 2, default: { a: expect.any(Promise) }, b: expect.any(Function) })
  })

  it('imports by name, under another name, by default and as a whole, and calls what it imports as a function', async () => {
    const text = `import whole, { one, two as other, type Type } from 'x'
import * as space from 'x'
import type { Nothing } from 'types'
import { OnlyType } from 'more-types'
const other2 = { one, field: other, other }
export const made = [whole, one\`t\`, other2, space.one('s'), ({} as OnlyType & Nothing & Type)]
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
    expect(calls).toEqual([undefined, ['t'], x, 's', undefined, 'statement'])
  })

  it('imports only what takes part in the evaluation', () => {
    expect(rewrite(`import { A } from 'a'\nexport const x = f<A>()`)).not.toContain(`load("a")`)
    expect(rewrite(`import 'effects'`)).toContain(`load("effects")`)
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
})

describe('to the compiler is left', () => {
  it.each([
    ['a class', 'class A { x: string = "" }'],
    ['an enum', 'enum A { B }'],
    ['a namespace', 'namespace A { export const x = 1 }'],
    ['a list of exports', 'const a = 1\nexport { a }'],
    ['an export of another module', `export * from './a.js'`],
    ['an exported variable', 'export let a = 1'],
    ['an exported pattern', 'export const { a } = { a: 1 }'],
    ['an import with attributes', `import a from './a.json' with { type: 'json' }`],
    ['an imported name that is hidden', `import { a } from 'a'\nexport const f = (a: number) => a`],
    ['a generic function', 'function f<T>(x: T) { return x }'],
    ['an overload', 'function f(x: string): void\nfunction f(x: unknown) {}'],
    ['an optional parameter', 'const f = (x?: string) => x'],
    ['a `this` parameter', 'function f(this: string) {}'],
    ['an instantiation', 'const g = f<string>'],
    ['an assertion of the older form', 'const g = <string>f'],
    ['an expression that would go on', 'const a = b as string\n[1].map(String)'],
    ['an expression that would go on after a comment', 'const a = b! // so\n/* and */ (c)'],
    ['a declaration without a value', 'declare const a: string'],
  ])('%s', (_, text) => {
    expect(rewrite(text)).toBeUndefined()
  })
})
