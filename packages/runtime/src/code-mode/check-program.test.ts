import ts6 from '@typescript/typescript6'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ProgramCheck } from './check-program.js'
import { issuesHint } from './checker.js'

const declarations = `type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json }
declare namespace orders {
  type Order = { id: string; status: "open" | "shipped"; total: number; note?: string }
  function getOrder(args: { orderId: string; limit?: number }): Promise<Order>
  function list(args?: { status?: "open" | "shipped" }): Promise<{ orders: Order[] }>
  function raw(): Promise<Json>
  function tagged(args?: { order?: Order; lines?: { id: string }[] }): Promise<{ tags: { [key: string]: Json }[]; note: Json } | { tags: [] }>
}`
const failures = `
declare namespace ToolFailures {
type Error = { id: string }
interface byName {
'order_shipped': { orderId: string } | { lines: Error[] }
'order_locked': undefined
}
}`
const compilers = [
  { version: ts.versionMajorMinor, program: new ProgramCheck(ts, declarations + failures) },
  // The types of two TypeScript versions differ, but not the types that the check uses.
  { version: ts6.versionMajorMinor, program: new ProgramCheck(ts6 as unknown as typeof ts, declarations + failures) },
]

describe.each(compilers)('TypeScript $version', ({ program }) => {
  describe('programs that pass', () => {
    it.each([
      `const { orders: all } = await orders.list({ status: 'open' })
     const full = await Promise.all(all.map((order) => orders.getOrder({ orderId: order.id })))
     console.log(full.length)
     return { total: full.reduce((sum, order) => sum + order.total, 0), first: full[0], notes: full.map((o) => o.note) }`,
      `return orders.getOrder({ orderId: 'A-1' })`,
      `const raw = await orders.raw()
     if (Array.isArray(raw)) return raw.length
     if (typeof raw === 'object' && raw !== null) return raw.name
     return raw`,
      `try { return await orders.getOrder({ orderId: 'A-1' }) } catch (error) { return String(error) }`,
      `const byId = new Map<string, number>()
     for (const { id, total } of (await orders.list()).orders) byId.set(id, total)
     return Object.fromEntries(byId)`,
      `const order = await orders.getOrder({ orderId: 'A-1' })
     return Object.entries(order).map(([name, value]) => name + value)`,
      `await orders.list()`,
      `let total = 0; total += 1; total++; await orders.list(); console.debug(total)`,
      `const raw = await orders.raw()
     if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Error('unexpected result')
     const items = raw.items
     return Array.isArray(items) ? items.length : null`,
      `return [await orders.raw({}), await orders.raw( /* none */ { })]`,
      `const name = 'x'; const process = 1; return { name, process, text: '// @ts-ignore' } as const`,
      `const unused = 1; return 2`,
      `try { await orders.raw() } catch (error) {
       const failure = error instanceof Error ? error : new Error(String(error))
       if (failure.reason !== 'order_shipped') return { reason: failure.reason, data: failure.data }
       return 'orderId' in failure.data ? failure.data.orderId : failure.data.lines.map(({ id }) => id)
     }`,
      `class Missing extends Error { readonly id: string; constructor(id: string) { super(id); this.id = id } }
     try { await orders.raw() } catch (error) {
       if (error instanceof Missing) return error.id
       if (error instanceof TypeError || error instanceof RangeError) return error.message
       if (!(error instanceof Error)) throw error
       if (error instanceof TypeError) return error.name
       const { reason, data } = error
       return reason === 'order_shipped' && 'lines' in data ? data.lines : error.message
     }`,
      `const textOf = (value: string | Error) => (value instanceof Error ? value.message : value.toUpperCase())
     return textOf(new Error('a')) + textOf('b')`,
      `async function total(id: string): Promise<number> { return (await orders.getOrder({ orderId: id })).total }
     return (await total('a')) + (await total('b'))`,
      `const value = JSON.parse('{"a":1}')
     return typeof value === 'object' && value !== null && 'a' in value ? String(value.a) : null`,
      `const limit = (await orders.getOrder({ orderId: 'a' })).note?.length
     return await orders.getOrder({ orderId: 'b', limit })`,
      `interface Line { readonly id: string }
     const lines: Line[] = (await orders.list()).orders
     return lines.map(({ id }) => id).sort((a, b) => a.localeCompare(b))`,
      `const texts: string[] = []; console.log('texts', texts); return await Promise.allSettled([orders.raw()])`,
      `let order: Promise<orders.Order>
     order = orders.getOrder({ orderId: 'a' })
     const list = orders.list()
     return [await order, await list]`,
      `const tasks: Promise<orders.Order>[] = []
     for (const id of ['a', 'b']) tasks.push(orders.getOrder({ orderId: id }))
     for (let at = 0; at < tasks.length; at++) console.log((await tasks[at])?.id)
     return await Promise.all(tasks)`,
      `const cache = new Map<string, Promise<orders.Order>>()
     const get = (id: string) => {
       const found = cache.get(id) ?? orders.getOrder({ orderId: id })
       cache.set(id, found)
       return found
     }
     return Promise.all(['a', 'a'].map(get))`,
      `let last = Promise.resolve(0)
     for (const id of ['a']) last = last.then(async (sum) => sum + (await orders.getOrder({ orderId: id })).total)
     return await last`,
      `return await ['a'].reduce(async (sum, id) => (await sum) + (await orders.getOrder({ orderId: id })).total, Promise.resolve(0))`,
      `const settled = await Promise.allSettled([orders.getOrder({ orderId: 'a' })])
     return settled.map((each) => (each.status === 'fulfilled' ? each.value.total : each.reason.message))`,
      `const attempt = async <T>(work: () => Promise<T>) => { try { return await work() } catch (error) { return String(error) } }
     return await attempt(() => orders.getOrder({ orderId: 'a' }))`,
      `const step = async (work: () => unknown) => String(await work())
     return await step(() => orders.list())`,
      `return (await orders.list()).orders.toSorted((a, b) => a.total - b.total)`,
      `return Object.groupBy((await orders.list()).orders, ({ status }) => status)`,
      `const all = { orderId: 'a', status: 'open' }
     const { status, ...args } = all
     return [status, await orders.getOrder(args), await orders.getOrder({ ...args, ...(status === 'open' && { limit: 1 }) })]`,
      `const [order] = (await orders.list()).orders
     return order && await orders.tagged({ order })`,
    ])('%s', (code) => {
      const checked = program.check(code)
      expect(checked.ok ? [] : checked.issues).toEqual([])
    })

    it('become JavaScript without types', () => {
      const checked = program.check('const id: string = "a"\nreturn id')
      expect(
        checked.ok &&
          checked.javascript
            .trim()
            .split('\n')
            .map((line) => line.trim()),
      ).toEqual(['"use strict";', 'async function program() {', 'const id = "a";', 'return id;', '}'])
    })

    it('stay unchanged if they contain no types', () => {
      const code = 'const all = await orders.list() // all\n\nreturn all.orders.length'
      const javascript = `'use strict'\nasync function program() {\n${code}\n}`
      expect(program.check(code)).toEqual({ ok: true, javascript })
    })

    it.each([
      ['return\u200B 1', 'return 1;'],
      ['let n = 2; let is = true; return is <!--n', 'return is < !--n;'],
    ])('become the program that TypeScript reads: %s', (code, expected) => {
      expect(program.check(code)).toMatchObject({ ok: true, javascript: expect.stringContaining(expected) })
    })
  })

  describe('programs that do not run', () => {
    it.each([
      [
        'a misspelled tool',
        `return await orders.getOrdr({ orderId: 'a' })`,
        /'getOrdr' does not exist.*Did you mean 'getOrder'/,
      ],
      ['another namespace', `return await files.read()`, /^Cannot find name 'files'\. Declared namespaces: orders\.$/],
      [
        'a misspelled argument',
        `return await orders.getOrder({ order_id: 'a' })`,
        /'order_id' does not exist.*'orderId'/,
      ],
      ['a missing argument', `return await orders.getOrder({})`, /'orderId' is missing/],
      ['an argument of a function without arguments', `return await orders.raw({ limit: 1 })`, /Expected 0 arguments/],
      ['two arguments of such a function', `return await orders.raw({}, {})`, /Expected 0 arguments/],
      ['an argument of a function of the program', `const f = () => 1; return f({})`, /Expected 0 arguments/],
      ['an argument too many', `return await orders.getOrder({ orderId: 'a', x: 1 })`, /'x' does not exist/],
      ['a wrong type', `return await orders.getOrder({ orderId: 1 })`, /not assignable to type 'string'/],
      ['a wrong value of an enum', `return await orders.list({ status: 'closed' })`, /"closed"/],
      [
        'a missing property of a result',
        `return (await orders.getOrder({ orderId: 'a' })).price`,
        /'price' does not exist/,
      ],
      ['a property without await', `return orders.getOrder({ orderId: 'a' }).total`, /'total' does not exist/],
      ['a call without await', `orders.getOrder({ orderId: 'a' })`, /not awaited/],
      ['void before a call', `void orders.getOrder({ orderId: 'a' })`, /not awaited/],
      ['an unused promise', `const order = orders.getOrder({ orderId: 'a' })\nreturn 1`, /not awaited/],
      [
        'unused promises',
        `const all = [1, 2].map((n) => orders.getOrder({ orderId: String(n) }))\nreturn 1`,
        /not awaited/,
      ],
      ['a promise in the result', `return { order: orders.getOrder({ orderId: 'a' }) }`, /Promise/],
      ['forEach with calls', `[1].forEach((n) => { orders.getOrder({ orderId: String(n) }) })`, /not awaited/],
      ['forEach with functions that return a promise', `[1].forEach((n) => orders.raw())`, /ignores its promise/],
      [
        'forEach with async functions',
        `[1].forEach(async (n) => { await orders.getOrder({ orderId: String(n) }) })`,
        /^The caller of this function ignores its promise\. Use `for/,
      ],
      [
        'filter with async functions',
        `return ['a'].filter(async (id) => (await orders.getOrder({ orderId: id })).total > 1)`,
        /ignores its promise/,
      ],
      [
        'a function without result that returns a promise',
        `const run: () => void = () => orders.raw(); run()`,
        /ignores its promise/,
      ],
      [
        'promises of which only the number is read',
        `const all = [1].map(() => orders.raw())\nreturn all.length`,
        /not awaited/,
      ],
      ['a promise that is only compared', `const raw = orders.raw()\nreturn raw === null`, /not awaited/],
      ['an unused assigned promise', `let raw: Promise<Json>\nraw = orders.raw()`, /not awaited/],
      ['an unused property with a promise', `const { raw } = { raw: orders.raw() }\nreturn 1`, /not awaited/],
      ['a promise in the console', `console.log(orders.raw())`, /not awaited/],
      ['promises in the console', `console.log([1].map(() => orders.raw()))`, /not awaited/],
      ['a promise in a template', `return \`\${orders.raw()}\``, /not awaited/],
      ['a promise as an operand', `return 'x' + orders.raw()`, /not awaited/],
      ['a promise as JSON', `return JSON.stringify(orders.raw())`, /not awaited/],
      [
        'a promise in a set of any values',
        `const all = new Set<unknown>(); all.add(orders.raw()); return all.size`,
        /not awaited/,
      ],
      ['a promise before a comma', `return (orders.raw(), 1)`, /not awaited/],
      ['a promise as a condition', `return !orders.raw()`, /not awaited/],
      ['the properties of a promise', `return { ...orders.raw() }`, /not awaited/],
      [
        'await of an array',
        `const all = await [1].map(() => orders.raw())\nreturn all.length`,
        /^The promises of this array are not awaited\. Write `await Promise\.all/,
      ],
      [
        'a promise that a catch does not catch',
        `try { return orders.raw() } catch { return null }`,
        /^This `catch` does not catch .* Write `return await`\.$/,
      ],
      [
        'an unknown property in a variable',
        `const args = { orderId: 'a', note: 'x' }\nreturn await orders.getOrder(args)`,
        /^The argument has the property 'note', which the function does not accept\./,
      ],
      [
        'an unknown property in a spread',
        `return await orders.getOrder({ orderId: 'a', ...{ note: 'x' } })`,
        /^The argument has the property 'note'/,
      ],
      [
        'an unknown property in an array',
        `return await orders.tagged({ lines: (await orders.list()).orders })`,
        /^The argument has the property 'status'/,
      ],
      [
        'a method that does not exist',
        `return (await orders.list()).orders.sorted((a, b) => 1)`,
        /^Property 'sorted' does not exist/,
      ],
      ['as any', `return await orders.getOrder({ id: 1 } as any)`, /assertions are not allowed/],
      [
        'a type in angle brackets',
        `return await orders.getOrder(<{ orderId: string }>{})`,
        /assertions are not allowed/,
      ],
      ['any', `const x: any = 1; return await orders.getOrder(x)`, /`any` is not allowed/],
      ['!', `return (await orders.list()).orders[0]!.total`, /`!` is not allowed/],
      ['a definite variable', `let x!: string; return x`, /`!` is not allowed/],
      ['JSON.parse as arguments', `const x = JSON.parse('{}'); return await orders.getOrder(x)`, /'unknown'/],
      ['a value of the type any', `const x = (() => 1).constructor('return 1')(); return x`, /type `any`/],
      [
        'a type predicate',
        `function is(v: unknown): v is string { return true }; return is(1)`,
        /predicates are not allowed/,
      ],
      [
        'an assertion function',
        `function is(v: unknown): asserts v is string {}; return 1`,
        /predicates are not allowed/,
      ],
      [
        'overloads',
        `function f(): string\nfunction f(): unknown { return 1 }\nreturn f()`,
        /Overloads are not allowed/,
      ],
      ['declare', `declare const x: string; return x`, /declare/],
      ['@ts-ignore', `// @ts-ignore\nreturn await orders.getOrder({})`, /@ts-/],
      ['@ts-expect-error', `/* @ts-expect-error */ return await orders.getOrder({})`, /@ts-/],
      ['an import', `const fs = await import('fs'); return 1`, /Imports are not available/],
      ['an import statement', `import fs from 'fs'; return 1`, /Imports|import declaration/],
      ['a global of Node', `return process.env.HOME`, /^`process` is not available in programs\.$/],
      ['the network', `return await fetch('https://a.example')`, /^`fetch` is not available in programs\.$/],
      ['a timer', `setTimeout(() => 1, 10)`, /^`setTimeout` is not available in programs\.$/],
      ['a global of browsers', `return structuredClone({})`, /^`structuredClone` is not available in programs\.$/],
      [
        'a global that the sandbox lacks',
        `return new Intl.NumberFormat().format(1)`,
        /^`Intl` is not available in programs\.$/,
      ],
      ['eval', `return eval('1')`, /`eval` is not available in programs/],
      ['Function', `return new Function('return 1')()`, /`Function` is not available in programs/],
      ['globalThis', `return globalThis.process`, /`globalThis` is not available in programs/],
      ['Proxy', `return new Proxy({}, {})`, /`Proxy` is not available in programs/],
      ['Reflect', `return Reflect.ownKeys({})`, /`Reflect` is not available in programs/],
      [
        'the end of the function',
        `return 1\n}\nfoo()\nasync function x(): Promise<Json> {\nreturn 2`,
        /braces are not balanced/,
      ],
      ['a syntax error', `const = 3`, /expected/],
      [
        'a last line without return',
        `const all = await orders.list()\nall`,
        /^This value is not used\. Write `return`/,
      ],
      ['an unused object', `const { total } = await orders.getOrder({ orderId: 'a' })\n;({ total })`, /not used/],
      ['an unused property', `const all = await orders.list()\nall.orders.length`, /not used/],
      ['a property of an untyped value', `return (await orders.raw()).items`, /^This value has no declared type/],
      [
        'a misspelled property of a value that has untyped parts',
        `const { tags } = await orders.tagged()\nreturn [tags, (await orders.tagged()).tag]`,
        /^Property 'tag' does not exist on type .* Did you mean 'tags'\?/,
      ],
      [
        'an item of an untyped value',
        `const raw = await orders.raw()\nreturn raw[0]`,
        /^This value has no declared type/,
      ],
      [
        'a deep property of an untyped value',
        `const raw = await orders.raw()\nreturn raw.items[0].id`,
        /^This value has no declared type/,
      ],
      [
        'the message of any error',
        `try { await orders.list() } catch (e) { return e.message }`,
        /^'e' is of type 'unknown'\. For an error, write `e instanceof Error \? e\.message : String\(e\)`\.$/,
      ],
      [
        'an unknown value as the result',
        `return JSON.parse('1')`,
        /^Type 'unknown' is not assignable to type 'Json'\.$/,
      ],
      ['another method of the console', `console.table([1])`, /^Property 'table' does not exist on type '[^']*'\.$/],
      ['a function as the result', `return () => 1`, /not assignable/],
    ])('%s', (_, code, message) => {
      const checked = program.check(code)
      expect(checked.ok).toBe(false)
      if (!checked.ok) expect(checked.issues.map((issue) => issue.message).join('\n')).toMatch(message)
    })

    it('are reported with the line in the program and the signature of the called function', () => {
      const checked = program.check(`const a = 1\nreturn await orders.getOrder({\n  orderID: 'x',\n})`)
      expect(checked).toMatchObject({
        ok: false,
        issues: [
          { line: 3, signature: expect.stringContaining('getOrder(args: { orderId: string; limit?: number })') },
        ],
      })
    })

    it.each([
      ['a misspelled tool', 'await orders.getOrdr({ orderId: "a" })', /Did you mean 'getOrder'\?$/, 'getOrder'],
      ['the start of a name', 'await orders.get({ orderId: "a" })', /Did you mean 'getOrder'\?$/, 'getOrder'],
      ['a tool in the arguments of another', 'await orders.list({ status: orders.ra() })', /'raw'\?$/, 'raw'],
      ['the tool name', 'await orders_getOrder({ orderId: "a" })', /Did you mean 'orders\.getOrder'\?$/, 'getOrder'],
      ['no namespace', 'await getOrder({ orderId: "a" })', /Did you mean 'orders\.getOrder'\?$/, 'getOrder'],
    ])('show the signature of the right tool for %s', (_, code, message, name) => {
      const checked = program.check(code)
      expect(checked).toMatchObject({
        ok: false,
        issues: [
          {
            line: 1,
            message: expect.stringMatching(message),
            signature: expect.stringMatching(`^function ${name}\\(`),
          },
        ],
      })
    })

    it('list the tools of a namespace if no name is similar', () => {
      const checked = program.check('return await orders.refund({ orderId: "a" })')
      expect(checked).toEqual({
        ok: false,
        issues: [
          {
            line: 1,
            message:
              "Property 'refund' does not exist on type 'typeof orders'. Declared functions: getOrder, list, raw, tagged.",
          },
        ],
      })
    })

    it('do not change the check of later programs', () => {
      program.check('declare global { interface Array<T> { hacked: string } }')
      program.check('interface JSON { parse(text: string): string }\ntype Json = string')
      expect(program.check(`return JSON.parse('1').length`).ok).toBe(false)
      expect(program.check('return 1').ok).toBe(true)
    })
  })

  describe('the hint for a model', () => {
    it('has at most 600 characters for three problems', () => {
      const wrong = Array.from(
        { length: 5 },
        (_, at) => `await orders.getOrder({ orderIdentifier${at}: ${at}, more: 'x'.repeat(${at}) })`,
      )
      const checked = program.check(wrong.join('\n'))
      const hint = checked.ok ? '' : issuesHint(checked.issues)
      expect(hint.length).toBeLessThanOrEqual(600)
      expect(hint.match(/^Line \d/gm)).toEqual(['Line 1', 'Line 2', 'Line 3'])
      expect(hint).toMatch(/\(\d+ more\)$/)
    })

    it('names the missing field of a function with many arguments', () => {
      const fields = Array.from({ length: 30 }, (_, at) => `someOptionalField${at}?: string`).join('; ')
      const many = new ProgramCheck(
        ts,
        `type Json = string\ndeclare namespace a { function b(args: { ${fields}; last: string }): Promise<1> }`,
      )
      for (const code of ['return a.b({})', 'return a.b({ lasst: "x" })']) {
        const checked = many.check(code)
        expect(checked.ok ? '' : issuesHint(checked.issues)).toContain("'last'")
      }
    })

    it('contains what a single problem needs', () => {
      const checked = program.check(`return await orders.list({ status: 'closed' })`)
      expect(checked.ok ? '' : issuesHint(checked.issues)).toBe(
        `The program was not run.
Line 1: \`status\`: Type '"closed"' is not assignable to type '"open" | "shipped" | undefined'. list(args?: { status?: "open" | "shipped" }): Promise<{ orders: Order[] }>`,
      )
    })
  })
})

describe('a check after another program', () => {
  it.each([
    ['that names values in another order', `const values = ['shipped', 'open'] as const; return values.length`],
    ['with the same problem', `return await orders.list({ status: 'closed' })`],
    ['that declares a name', `const order = 1; return order`],
    ['so long that the next check has a new type checker', `/* ${'x'.repeat(250_000)} */ return 1`],
  ])('has the result of a first check: %s', (_, before) => {
    const check = new ProgramCheck(ts, declarations)
    check.check(before)
    for (const code of [
      `return await orders.list({ status: 'closed' })`,
      `return order`,
      `const order = await orders.getOrder({ orderId: 'A-1' }); return order.total`,
    ]) {
      expect(check.check(code)).toEqual(new ProgramCheck(ts, declarations).check(code))
    }
  })

  it('accepts a program that calls itself', () => {
    const check = new ProgramCheck(ts, declarations)
    expect(check.check('if (Math.random() < 0.5) return await program()\nreturn 1')).toMatchObject({ ok: true })
    expect(check.check('const total: number = await program()\nreturn total')).toMatchObject({ ok: false })
  })
})
