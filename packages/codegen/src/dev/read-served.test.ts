import { describe, expect, it } from 'vitest'
import { bindServed, type LoadedModule, readServed } from './served-module.js'

const location = { file: 'serve.ts', line: 3, column: 1 }
const exporting = (exported: unknown): LoadedModule => ({ exported, name: 'the default export', location })

const registration = { use: {}, executor: {}, wrap: () => undefined }
const bound = (...toolNames: readonly string[]): object => ({
  specs: toolNames.map((toolName) => ({ toolName, toolset: 'orders', id: `orders.${toolName}` })),
  execute: () => undefined,
})
const runtime = { registerToolset: () => bound('find') }

describe('what a module exports', () => {
  it.each<[string, unknown, number]>([
    ['a registration', registration, 1],
    ['a bound toolset', bound('find'), 1],
    ['a list of both', [registration, bound('find')], 2],
    ['a project', { toolsets: [registration], runtime, close: () => undefined, context: () => ({}) }, 1],
  ])('may be %s', (_, exported, toolsets) => {
    const { value, diagnostics } = readServed(exporting(exported))
    expect(diagnostics).toEqual([])
    expect(value?.toolsets).toHaveLength(toolsets)
  })

  it('is passed on with what it says of the server and its calls, and closed by its own `close`', () => {
    const project = {
      toolsets: [registration],
      instructions: 'Ask first.',
      tasks: false,
      close(): string {
        return `closed: ${this.instructions}`
      },
    }
    const { value } = readServed(exporting(project))
    expect(value?.options).toEqual({ instructions: 'Ask first.', tasks: false })
    expect(value?.close?.()).toBe('closed: Ask first.')
  })

  it('is refused where it cannot be read', () => {
    const project = {
      get toolsets(): never {
        throw new Error('no database')
      },
    }
    expect(readServed(exporting(project)).diagnostics).toMatchObject([
      { code: 'TG7003', message: 'The default export cannot be read: no database.' },
    ])
  })

  class Support {}

  it.each<[unknown, string]>([
    [undefined, 'is undefined.'],
    [null, 'is null.'],
    ['orders', 'is a string.'],
    [[], 'has no toolsets.'],
    [{}, 'is an object without fields.'],
    [{ '~toolgen': 'toolset' }, 'is a toolset of the design.'],
    [{ '~toolgen': 'agent' }, 'is an agent of the design.'],
    [new Support(), 'is a Support.'],
    [{ specs: [], descriptor: {} }, 'is an object with the fields specs, descriptor.'],
    [[registration, Support], 'has the function `Support` as toolset 2.'],
    [{ toolsets: [registration], contxt: () => ({}) }, 'has an unknown field `contxt` (did you mean `context`?).'],
    [{ toolsets: [registration], runtime: {} }, 'has an object without fields as its `runtime`.'],
    [{ toolsets: [registration], close: 1 }, 'has a number as its `close`.'],
    [{ toolsets: [registration], context: 5 }, 'has a number as its `context`.'],
    [{ toolsets: [registration], tasks: true }, 'has a boolean as its `tasks`.'],
    [{ toolsets: [registration], server: { name: 'x' } }, 'has an object with the fields name as its `server`.'],
    [
      { toolsets: [registration], sessions: { list: () => [] } },
      'has an object with the fields list as its `sessions`.',
    ],
    [{ toolsets: [registration], searchIndex: 'x' }, 'has a string as its `searchIndex`.'],
    [{ toolsets: [registration], instructions: ['x'] }, 'has an array as its `instructions`.'],
  ])('is rejected with its actual type: %j', (exported, message) => {
    const { value, diagnostics } = readServed(exporting(exported))
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      {
        code: 'TG7003',
        severity: 'error',
        message: `The default export ${message}`,
        location,
        next: expect.any(String),
      },
    ])
  })
})

describe('what is bound to be served', () => {
  it('is every registration, in addition to bound toolsets', () => {
    const parts = { toolsets: [registration, bound('count')], options: {} }
    const { value } = bindServed(parts, runtime, exporting(parts))
    expect(value?.tools.map(({ toolName }) => toolName)).toEqual(['find', 'count'])
  })

  it('has each name once', () => {
    const { value, diagnostics } = bindServed(
      { toolsets: [registration, bound('find')], options: {} },
      runtime,
      exporting([]),
    )
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([
      { code: 'TG7005', message: 'Two served tools have the name `find`: `orders.find`, twice.', location },
    ])
  })

  it('reports every error of a registration', () => {
    const refusing = {
      registerToolset: () => {
        throw new Error('The toolset orders cannot be registered:\n  - no executor\n  - no check for find')
      },
    }
    const { diagnostics } = bindServed({ toolsets: [registration], options: {} }, refusing, exporting([]))
    expect(diagnostics).toMatchObject([
      {
        code: 'TG7004',
        message: 'The toolset orders cannot be registered.',
        related: [{ message: 'no executor' }, { message: 'no check for find' }],
      },
    ])
  })
})
